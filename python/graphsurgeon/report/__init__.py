"""`graphsurgeon report`: runs, studies and searches as one HTML page that needs no network.

report_command  the command: its options, errors and exit codes
inputs          what kind of folder each input is
run             what a run folder holds, and what can be computed from it
graph           labels, degrees and names of the data that a run was trained on
failures        wrong predictions: confusion, accuracy by degree
projection      embeddings in two dimensions
map             the data of the embedding map
study_folders   folders of ablate, bench and tune
figure          a figure: what plotly draws, and the same in words
figures_*       the figures of each section
lead            the top of the page: title, runs at a glance, notes
sections        the page's sections, from all of that
sections_study  those of ablations, benches and searches
page            HTML: escaping, tables, the frame (page.css, page.js)
"""
