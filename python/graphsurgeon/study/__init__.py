"""`graphsurgeon bench` and `graphsurgeon ablate`: many trainings, each a process of the program.

bench_command         `bench`: its options, the tables it prints
ablate_command        `ablate`: its options, the verdicts it prints
study_command         what both share: options, running, printing
results_folder        what both do with the folder of their results
catalog               the datasets by name, and which of them are here
experiment            one training and its score
study_file            the file of a study, one line per cell; what is in it is not trained again
grid                  methods on datasets: which cells `bench` makes
tables                their tables
paper                 the figures that the paper reports
ablations             the ablations by name, each with its claim
ablation_experiments  what each of them trains
ablation_rows         its rows by dataset and variant
verdicts              whether a claim holds by these rows
ablation_tables       tables of an ablation
"""
