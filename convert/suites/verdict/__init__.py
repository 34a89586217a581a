"""The verdict on a version, and its statistics.

judging           the verdict from the results of all cases; limits
success_test      the exact test of success, chance, and combined tests
behaviour_and_figure_tests  permutation tests of behaviour and of figures
sentences         the verdict in words; notes: other facts; case_sentences: a case
"""
