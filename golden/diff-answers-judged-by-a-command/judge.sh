# The first word says how to judge, the others are the two answers.
case $1 in
same) echo "score 0.97"; exit 0 ;;
different) echo "score 0.20: \"$(cat "$2")\" is not \"$(cat "$3")\""; exit 1 ;;
chatty) i=0; while [ $i -lt 30 ]; do echo "reason $i"; i=$((i + 1)); done; printf '\033[31mred\n'; exit 0 ;;
trouble) echo "no key for the model" >&2; exit 3 ;;
killed) kill -9 $$ ;;
esac
