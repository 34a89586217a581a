"""Action lines in the languages of the documentation.

The agent itself prints English. The phrases for reading, editing, running and creating
are those of the translated documentation of 2025.08; the others, and all Korean ones,
are ours in the same voice. Outcomes in parentheses are words of runconv and stay.
"""

from __future__ import annotations

import functools

from convert.errors import UsageError
from convert.tools.table import NAMED, TOOLS

ENGLISH = {kind: tool.phrase for kind, tool in TOOLS.items()}

# The columns of a row: see LANGUAGES. A row for each kind, and one for a named tool.
_ROWS = """
read | Leyó un archivo | Fichier lu | Datei gelesen | 파일을 읽음 | ファイルを読み込んだ | 读取了文件 | Dosya okundu
edit | Editó un archivo | Fichier modifié | Datei bearbeitet | 파일을 편집함 | ファイルを編集した | 编辑了文件 | Dosya düzenlendi
write | Creó un archivo nuevo | Nouveau fichier créé | Neue Datei erstellt | 새 파일을 만듦 | 新規ファイルを作成した | 创建了新文件 | Yeni dosya oluşturuldu
shell | Ejecutó un comando en la terminal | Commande de terminal exécutée | Terminal-Befehl ausgeführt | 터미널 명령을 실행함 | ターミナルコマンドを実行した | 运行了终端命令 | Terminal komutu çalıştırıldı
delete | Eliminó un archivo | Fichier supprimé | Datei gelöscht | 파일을 삭제함 | ファイルを削除した | 删除了文件 | Dosya silindi
grep | Buscó en el contenido de archivos | Contenu des fichiers parcouru | Dateiinhalte durchsucht | 파일 내용을 검색함 | ファイルの内容を検索した | 搜索了文件内容 | Dosya içerikleri arandı
glob | Buscó nombres de archivos | Noms de fichiers recherchés | Dateinamen gesucht | 파일 이름을 검색함 | ファイル名を検索した | 搜索了文件名 | Dosya adları arandı
ls | Listó un directorio | Répertoire listé | Verzeichnis aufgelistet | 디렉터리 목록을 봄 | ディレクトリを一覧表示した | 列出了目录 | Dizin listelendi
semSearch | Buscó en el código base | Base de code parcourue | Codebasis durchsucht | 코드베이스를 검색함 | コードベースを検索した | 搜索了代码库 | Kod tabanı arandı
readLints | Leyó los resultados del linter | Résultats du linter lus | Linter-Ergebnisse gelesen | 린터 결과를 읽음 | リンターの結果を読み込んだ | 读取了 linter 结果 | Linter sonuçları okundu
updateTodos | Actualizó la lista de tareas | Liste de tâches mise à jour | Aufgabenliste aktualisiert | 할 일 목록을 갱신함 | タスクリストを更新した | 更新了任务列表 | Yapılacaklar listesi güncellendi
readTodos | Leyó la lista de tareas | Liste de tâches lue | Aufgabenliste gelesen | 할 일 목록을 읽음 | タスクリストを読み込んだ | 读取了任务列表 | Yapılacaklar listesi okundu
task | Ejecutó un subagente | Sous-agent exécuté | Subagent ausgeführt | 하위 에이전트를 실행함 | サブエージェントを実行した | 运行了子代理 | Alt aracı çalıştırıldı
webSearch | Buscó en la web | Recherche web effectuée | Im Web gesucht | 웹을 검색함 | ウェブを検索した | 搜索了网络 | Web'de arama yapıldı
webFetch | Obtuvo una página web | Page web récupérée | Webseite abgerufen | 웹 페이지를 가져옴 | ウェブページを取得した | 获取了网页 | Web sayfası alındı
fetch | Obtuvo una URL | URL récupérée | URL abgerufen | URL을 가져옴 | URLを取得した | 获取了 URL | URL alındı
mcp | Usó una herramienta MCP | Outil MCP utilisé | MCP-Werkzeug benutzt | MCP 도구를 사용함 | MCPツールを使用した | 使用了 MCP 工具 | MCP aracı kullanıldı
getMcpTools | Listó las herramientas MCP | Outils MCP listés | MCP-Werkzeuge aufgelistet | MCP 도구 목록을 봄 | MCPツールを一覧表示した | 列出了 MCP 工具 | MCP araçları listelendi
listMcpResources | Listó los recursos MCP | Ressources MCP listées | MCP-Ressourcen aufgelistet | MCP 리소스 목록을 봄 | MCPリソースを一覧表示した | 列出了 MCP 资源 | MCP kaynakları listelendi
readMcpResource | Leyó un recurso MCP | Ressource MCP lue | MCP-Ressource gelesen | MCP 리소스를 읽음 | MCPリソースを読み込んだ | 读取了 MCP 资源 | MCP kaynağı okundu
mcpAuth | Inició sesión en un servidor MCP | Connexion au serveur MCP | Am MCP-Server angemeldet | MCP 서버에 로그인함 | MCPサーバーにサインインした | 登录了 MCP 服务器 | MCP sunucusunda oturum açıldı
askQuestion | Hizo una pregunta | Question posée | Frage gestellt | 질문을 함 | 質問した | 提出了问题 | Soru soruldu
createPlan | Creó un plan | Plan créé | Plan erstellt | 계획을 만듦 | プランを作成した | 创建了计划 | Plan oluşturuldu
switchMode | Cambió de modo | Mode changé | Modus gewechselt | 모드를 전환함 | モードを切り替えた | 切换了模式 | Mod değiştirildi
await | Esperó una tarea en segundo plano | Tâche de fond attendue | Auf Hintergrundaufgabe gewartet | 백그라운드 작업을 기다림 | バックグラウンドタスクを待った | 等待了后台任务 | Arka plan görevi beklendi
writeShellStdin | Envió entrada a la terminal | Saisie envoyée au terminal | Terminal-Eingabe gesendet | 터미널 입력을 보냄 | ターミナルに入力を送った | 发送了终端输入 | Terminale girdi gönderildi
generateImage | Generó una imagen | Image générée | Bild erzeugt | 이미지를 생성함 | 画像を生成した | 生成了图像 | Görsel oluşturuldu
recordScreen | Grabó la pantalla | Écran enregistré | Bildschirm aufgezeichnet | 화면을 녹화함 | 画面を録画した | 录制了屏幕 | Ekran kaydedildi
computerUse | Usó el ordenador | Ordinateur utilisé | Computer benutzt | 컴퓨터를 사용함 | コンピューターを操作した | 使用了计算机 | Bilgisayar kullanıldı
reflect | Reflexionó sobre el progreso | Progrès examinés | Fortschritt überdacht | 진행 상황을 되돌아봄 | 進捗を振り返った | 反思了进展 | İlerleme değerlendirildi
applyAgentDiff | Aplicó cambios de un agente | Modifications d'agent appliquées | Agent-Änderungen übernommen | 에이전트 변경을 적용함 | エージェントの変更を適用した | 应用了代理更改 | Aracı değişiklikleri uygulandı
setupVmEnvironment | Preparó el entorno | Environnement préparé | Umgebung eingerichtet | 환경을 설정함 | 環境をセットアップした | 设置了环境 | Ortam kuruldu
replaceEnv | Reemplazó el entorno | Environnement remplacé | Umgebung ersetzt | 환경을 교체함 | 環境を置き換えた | 替换了环境 | Ortam değiştirildi
setActiveBranch | Fijó la rama activa | Branche active définie | Aktiven Branch gesetzt | 활성 브랜치를 설정함 | アクティブブランチを設定した | 设置了活动分支 | Etkin dal ayarlandı
blameByFilePath | Leyó el historial de un archivo | Historique du fichier lu | Dateiverlauf gelesen | 파일 이력을 읽음 | ファイルの履歴を読み込んだ | 读取了文件历史 | Dosya geçmişi okundu
aiAttribution | Leyó la atribución de IA | Attribution de l'IA lue | KI-Zuordnung gelesen | AI 기여 정보를 읽음 | AIの帰属情報を読み込んだ | 读取了 AI 归属 | Yapay zekâ katkısı okundu
prManagement | Gestionó un pull request | Pull request gérée | Pull-Request verwaltet | 풀 리퀘스트를 관리함 | プルリクエストを管理した | 管理了拉取请求 | Pull request yönetildi
editPrLabels | Editó las etiquetas de un pull request | Étiquettes de pull request modifiées | Labels des Pull-Requests bearbeitet | 풀 리퀘스트 라벨을 편집함 | プルリクエストのラベルを編集した | 编辑了拉取请求标签 | Pull request etiketleri düzenlendi
updatePrCodeTour | Actualizó el recorrido de un pull request | Visite de la pull request mise à jour | Rundgang des Pull-Requests aktualisiert | 풀 리퀘스트 안내를 갱신함 | プルリクエストのツアーを更新した | 更新了拉取请求导览 | Pull request turu güncellendi
recordCiInvestigationFindings | Registró hallazgos de CI | Constats de CI enregistrés | CI-Befunde festgehalten | CI 조사 결과를 기록함 | CIの調査結果を記録した | 记录了 CI 调查结果 | CI bulguları kaydedildi
reportBug | Informó de un error | Bogue signalé | Fehler gemeldet | 버그를 보고함 | バグを報告した | 报告了错误 | Hata bildirildi
reportBugfixResults | Informó de los resultados de una corrección | Résultats de correction signalés | Ergebnisse der Fehlerbehebung gemeldet | 버그 수정 결과를 보고함 | バグ修正の結果を報告した | 报告了错误修复结果 | Hata düzeltme sonuçları bildirildi
communicateUpdate | Publicó un avance | Avancement publié | Zwischenstand mitgeteilt | 진행 상황을 알림 | 進捗を知らせた | 发布了进度更新 | İlerleme paylaşıldı
sendFinalSummary | Envió el resumen final | Résumé final envoyé | Abschließende Zusammenfassung gesendet | 최종 요약을 보냄 | 最終サマリーを送った | 发送了最终摘要 | Son özet gönderildi
sendMessage | Envió un mensaje | Message envoyé | Nachricht gesendet | 메시지를 보냄 | メッセージを送った | 发送了消息 | Mesaj gönderildi
fetchCloudAgentData | Obtuvo datos de agentes en la nube | Données d'agents cloud récupérées | Daten von Cloud-Agenten abgerufen | 클라우드 에이전트 데이터를 가져옴 | クラウドエージェントのデータを取得した | 获取了云代理数据 | Bulut aracı verileri alındı
startGrindPlanning | Inició la planificación intensiva | Planification intensive lancée | Intensive Planung begonnen | 집중 계획을 시작함 | 集中プランニングを開始した | 开始了密集规划 | Yoğun planlama başlatıldı
startGrindExecution | Inició la ejecución intensiva | Exécution intensive lancée | Intensive Ausführung begonnen | 집중 실행을 시작함 | 集中実行を開始した | 开始了密集执行 | Yoğun yürütme başlatıldı
truncated | Hizo una llamada truncada | Appel tronqué effectué | Abgeschnittenen Aufruf gemacht | 잘린 호출을 함 | 切り詰められた呼び出しを行った | 进行了截断的调用 | Kesilmiş çağrı yapıldı
| Usó la herramienta {} | Outil utilisé : {} | Werkzeug {} benutzt | 도구 {} 사용함 | ツール {} を使用した | 使用了工具 {} | {} aracı kullanıldı
"""

LANGUAGES = ("en", "es", "fr", "de", "ko", "ja", "zh", "tr")


@functools.cache
def _phrases(language: str) -> dict[str, str]:
    """The phrase of each kind; that of a named tool stands under an empty kind."""
    if language == "en":
        return ENGLISH | {"": NAMED}
    column = LANGUAGES.index(language)
    rows = (row.split("|") for row in _ROWS.strip().splitlines())
    return {row[0].strip(): row[column].strip() for row in rows}


@functools.cache
def _kinds() -> dict[str, str]:
    """The kind of each phrase, in any language."""
    return {
        phrase: kind
        for language in LANGUAGES
        for kind, phrase in _phrases(language).items()
    }


@functools.cache
def _around_names() -> list[list[str]]:
    """What stands before and behind the name of a tool, in each language."""
    return [_phrases(language)[""].split("{}") for language in LANGUAGES]


def check_language(language: str) -> None:
    """Raise UsageError for a language that there are no phrases in."""
    if language not in LANGUAGES:
        names = ", ".join(LANGUAGES)
        raise UsageError(f"cannot write in '{language}'; choose one of {names}")


def phrase(kind: str, name: str, language: str) -> str:
    """What a call is called; a kind that is not in the table is called by its name."""
    phrases = _phrases(language)
    if kind in phrases and kind:
        return phrases[kind]
    return phrases[""].format(name or kind or "unnamed")


def read_phrase(text: str) -> tuple[str, str] | None:
    """The kind and the name of the tool that a phrase stands for, in any language."""
    kinds = _kinds()
    if kinds.get(text):
        return kinds[text], ""
    for before, after in _around_names():
        name = text.removeprefix(before).removesuffix(after)
        if before + name + after == text and name and not set(name) & set(" \t{}"):
            return "function", name
    return None
