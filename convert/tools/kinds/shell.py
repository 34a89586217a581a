"""Commands in a terminal, and the machine they run on."""

from __future__ import annotations

from convert.tools.row import Noise, Phrases, SubjectArguments, Tool

ROWS = {
    "shell": Tool(
        phrases=Phrases(
            en="Ran terminal command",
            es="Ejecutó un comando en la terminal",
            fr="Commande de terminal exécutée",
            de="Terminal-Befehl ausgeführt",
            ko="터미널 명령을 실행함",
            ja="ターミナルコマンドを実行した",
            zh="运行了终端命令",
            tr="Terminal komutu çalıştırıldı",
        ),
        subject=SubjectArguments(verb="Ran", words=("command",)),
        effect="command",
        noise=Noise(
            arguments=(
                "adminCommandDenylist",
                "classifierResult",
                "closeStdin",
                "description",
                "executableCommands",
                "fileOutputThresholdBytes",
                "hardTimeout",
                "hasInputRedirect",
                "hasOutputRedirect",
                "outputNotification",
                "parsingResult",
                "redirects",
                "simpleCommands",
                "timeout",
                "timeoutBehavior",
            ),
            # The result repeats the argument.
            outputs=("command",),
        ),
        transcript="shell.shell",
    ),
    "await": Tool(
        phrases=Phrases(
            en="Waited for background task",
            es="Esperó una tarea en segundo plano",
            fr="Tâche de fond attendue",
            de="Auf Hintergrundaufgabe gewartet",
            ko="백그라운드 작업을 기다림",
            ja="バックグラウンドタスクを待った",
            zh="等待了后台任务",
            tr="Arka plan görevi beklendi",
        ),
        subject=None,
        effect="looks",
        noise=Noise(arguments=("taskId",)),
        transcript="shell.wait",
    ),
    "writeShellStdin": Tool(
        phrases=Phrases(
            en="Sent terminal input",
            es="Envió entrada a la terminal",
            fr="Saisie envoyée au terminal",
            de="Terminal-Eingabe gesendet",
            ko="터미널 입력을 보냄",
            ja="ターミナルに入力を送った",
            zh="发送了终端输入",
            tr="Terminale girdi gönderildi",
        ),
        subject=None,
        effect="acts on files",
        noise=Noise(arguments=("shellId",)),
        transcript="shell.write_shell_stdin",
    ),
    "setupVmEnvironment": Tool(
        phrases=Phrases(
            en="Set up environment",
            es="Preparó el entorno",
            fr="Environnement préparé",
            de="Umgebung eingerichtet",
            ko="환경을 설정함",
            ja="環境をセットアップした",
            zh="设置了环境",
            tr="Ortam kuruldu",
        ),
        subject=None,
        effect="acts on files",
        noise=None,
        transcript="other.as_json",
    ),
    "replaceEnv": Tool(
        phrases=Phrases(
            en="Replaced environment",
            es="Reemplazó el entorno",
            fr="Environnement remplacé",
            de="Umgebung ersetzt",
            ko="환경을 교체함",
            ja="環境を置き換えた",
            zh="替换了环境",
            tr="Ortam değiştirildi",
        ),
        subject=None,
        effect="acts on files",
        noise=None,
        transcript="other.as_json",
    ),
}
