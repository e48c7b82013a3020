"""Spanish."""

from __future__ import annotations

from typing import Final

from longturn.wording.phrases import Phrases

PHRASES: Final = Phrases(
    cleared=(
        "[Este resultado de herramienta se eliminó para que la conversación quepa en el contexto del modelo. "
        "Vuelve a ejecutar la herramienta si lo necesitas.]"
    ),
    cleared_recall=(
        "[Este resultado de herramienta se eliminó para que la conversación quepa en el contexto del modelo. "
        "No vuelvas a ejecutar la herramienta: si necesitas el resultado, recupéralo con el id de la llamada.]"
    ),
    cleared_input="[eliminados junto con el resultado]",
    left_out=(
        "[Aquí se omitió una parte anterior de esta conversación para que el resto quepa en el contexto del modelo. "
        "La tarea indicada arriba sigue vigente.]"
    ),
    instructions=(
        "Esta conversación puede crecer más allá de lo que puedes leer de una vez. Está previsto: cuando ocurre, los "
        "resultados más antiguos de las herramientas se eliminan y una nota ocupa su lugar, mientras que los más "
        "recientes se conservan íntegros. Por eso, nunca te detengas antes de tiempo ni acortes u omitas parte de una "
        "tarea larga para ahorrar espacio. Continúa hasta terminar la tarea. Si necesitas algo que se eliminó, vuelve "
        "a ejecutar la herramienta y lee el nuevo resultado."
    ),
    instructions_recall=(
        "Algunas herramientas no deben ejecutarse dos veces; así lo indica la nota que sustituye a sus resultados "
        "eliminados, y la herramienta recall recupera un resultado de ese tipo con el id de la llamada."
    ),
    too_long=(
        "Esta conversación se ha vuelto demasiado larga para que el modelo la lea de una vez. Inicia un chat nuevo "
        "para el siguiente paso; todo lo creado hasta ahora se conserva."
    ),
    too_large=(
        "Algo en esta conversación es demasiado grande para enviarlo al modelo. Usa un archivo o una imagen más "
        "pequeños, o inicia un chat nuevo; todo lo creado hasta ahora se conserva."
    ),
    refused="El proveedor del modelo rechazó esta solicitud. Exprésala de otra forma y vuelve a enviarla.",
    recall_tool=(
        "Recupera el texto de un resultado de herramienta anterior que se eliminó de la conversación. "
        "Úsala para resultados de herramientas que no deben volver a ejecutarse."
    ),
    recall_call_id="El id de la llamada a la herramienta cuyo resultado se eliminó.",
    recall_start="Desde qué punto del texto empezar, en caracteres; 0 es el principio.",
    recall_length="Cuántos caracteres devolver; si se omite, todo el texto desde ese punto.",
)
