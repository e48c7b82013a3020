"""French.  Without colons and semicolons, which would need a no-break space before them."""

from __future__ import annotations

from typing import Final

from longturn.wording.phrases import Phrases

PHRASES: Final = Phrases(
    cleared=(
        "[Ce résultat d'outil a été retiré pour que la conversation tienne dans le contexte du modèle. "
        "Relancez l'outil si vous avez besoin du résultat.]"
    ),
    cleared_recall=(
        "[Ce résultat d'outil a été retiré pour que la conversation tienne dans le contexte du modèle. "
        "Ne relancez pas l'outil. Si vous avez besoin du résultat, récupérez-le avec l'identifiant de l'appel.]"
    ),
    cleared_input="[retirés avec le résultat]",
    left_out=(
        "[Une partie antérieure de cette conversation a été omise ici pour que le reste tienne dans le contexte "
        "du modèle. La tâche énoncée plus haut reste valable.]"
    ),
    instructions=(
        "Cette conversation peut devenir plus longue que ce que vous pouvez lire en une fois. C'est prévu. Dans ce "
        "cas, les résultats d'outils les plus anciens sont retirés et une note prend leur place, tandis que les plus "
        "récents restent entiers. Ne vous arrêtez donc jamais avant la fin, et n'abrégez ni ne sautez jamais une "
        "partie d'une longue tâche pour gagner de la place. Continuez jusqu'à ce que la tâche soit terminée. Si vous "
        "avez besoin d'un contenu retiré, relancez l'outil et lisez le nouveau résultat."
    ),
    instructions_recall=(
        "Certains outils ne doivent pas être exécutés deux fois. La note qui remplace leurs résultats retirés le "
        "précise, et l'outil recall récupère un tel résultat avec l'identifiant de l'appel."
    ),
    too_long=(
        "Cette conversation est devenue trop longue pour que le modèle puisse la lire en une fois. Commencez une "
        "nouvelle discussion pour l'étape suivante. Tout ce qui a été réalisé jusqu'ici est conservé."
    ),
    too_large=(
        "Un élément de cette conversation est trop volumineux pour être envoyé au modèle. Utilisez un fichier ou une "
        "image de plus petite taille, ou commencez une nouvelle discussion. Tout ce qui a été réalisé jusqu'ici est "
        "conservé."
    ),
    refused="Le fournisseur du modèle a refusé cette demande. Reformulez-la et envoyez-la de nouveau.",
    recall_tool=(
        "Récupère le texte d'un ancien résultat d'outil qui a été retiré de la conversation. "
        "À utiliser pour les résultats d'outils qui ne doivent pas être exécutés de nouveau."
    ),
    recall_call_id="L'identifiant de l'appel d'outil dont le résultat a été retiré.",
    recall_start="À partir de quelle position dans le texte, en caractères. 0 désigne le début.",
    recall_length="Combien de caractères renvoyer. Par défaut, tout le texte à partir de cette position.",
)
