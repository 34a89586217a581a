"""Subagents."""

from __future__ import annotations

from convert.tools.row import Noise, Phrases, SubjectArguments, Tool

ROWS = {
    "task": Tool(
        phrases=Phrases(
            en="Ran subagent",
            es="Ejecutó un subagente",
            fr="Sous-agent exécuté",
            de="Subagent ausgeführt",
            ko="하위 에이전트를 실행함",
            ja="サブエージェントを実行した",
            zh="运行了子代理",
            tr="Alt aracı çalıştırıldı",
        ),
        request=Phrases(
            en="Run subagent",
            es="Ejecutar un subagente",
            fr="Exécuter un sous-agent",
            de="Subagent ausführen",
            ko="하위 에이전트 실행",
            ja="サブエージェントを実行する",
            zh="运行子代理",
            tr="Alt aracı çalıştır",
        ),
        subject=SubjectArguments(verb="Ran subagent", words=("subagentType", "prompt")),
        effect="acts",
        lane="other",
        label="agent",
        noise=Noise(
            arguments=(
                "agentId",
                "description",
                "machine",
                "model",
                "respondingToMessageIds",
            )
        ),
        text_member="content",
        transcript="plans.task",
    ),
}
