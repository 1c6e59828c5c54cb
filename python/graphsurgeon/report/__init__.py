"""`graphsurgeon report`: runs, ablations, benches and searches as one HTML page that needs no network.

command     the command: its options, errors and exit codes
inputs      what kind of folder each input is
program     the C++ program, asked for its JSON
run         what a run folder holds, and what can be worked out from it
graph       labels, degrees and names of the data that a run was trained on
failures    who is predicted wrongly: confusion, accuracy by degree
projection  embeddings in two dimensions
study       folders of ablate, bench and tune
figure      a figure: what plotly draws, and the same in words
figures_*   the figures of each section
sections    the page's sections, from all of that
page        HTML: escaping, tables, the frame (page.css, page.js)
"""
