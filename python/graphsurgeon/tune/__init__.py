"""`graphsurgeon tune`: hyperparameter search with Optuna.

The study is kept in a storage that several workers and several machines may share. Each worker
loads the graph once and trains in its own process. A trial trains in pieces: after each, the score
of a linear probe on the validation nodes (or, without labels, the effective rank) is reported to
the pruner. Test labels are never read.

tune_command  the command: options, errors and exit codes
search        what a search does: data, objective, starting values, ranges
search_space  the range of each searched option
storage       the study in its storage: created or continued, first trial, end
owner         which process runs a trial, and trials of dead workers
objective     one trial: trained in pieces, scored after each
workers       the processes that run trials
results       the files in the study's folder
"""
