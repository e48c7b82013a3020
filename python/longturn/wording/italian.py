"""Italian."""

from __future__ import annotations

from typing import Final

from longturn.wording.phrases import Phrases

PHRASES: Final = Phrases(
    cleared=(
        "[Questo risultato di uno strumento è stato rimosso per mantenere la conversazione entro il contesto "
        "del modello. Se ti serve, esegui di nuovo lo strumento.]"
    ),
    cleared_recall=(
        "[Questo risultato di uno strumento è stato rimosso per mantenere la conversazione entro il contesto "
        "del modello. Non eseguire di nuovo lo strumento: se il risultato ti serve, recuperalo con l'id di chiamata.]"
    ),
    cleared_input="[rimossi insieme al risultato]",
    left_out=(
        "[Qui è stata omessa una parte precedente di questa conversazione, perché il resto rientri nel contesto "
        "del modello. Il compito indicato sopra resta valido.]"
    ),
    instructions=(
        "Questa conversazione può crescere oltre quello che riesci a leggere in una volta sola. È previsto: quando "
        "accade, i risultati meno recenti degli strumenti vengono rimossi e al loro posto c'è una nota, mentre i più "
        "recenti rimangono interi. Perciò non fermarti mai prima del tempo e non abbreviare né saltare mai parti di "
        "un compito lungo per risparmiare spazio. Continua finché il compito non è concluso. Se ti serve qualcosa che "
        "è stato rimosso, esegui di nuovo lo strumento e leggi il nuovo risultato."
    ),
    instructions_recall=(
        "Alcuni strumenti non vanno eseguiti due volte; lo dice la nota al posto dei loro risultati rimossi, e lo "
        "strumento recall recupera un risultato del genere con l'id di chiamata."
    ),
    too_long=(
        "Questa conversazione è diventata troppo lunga perché il modello possa leggerla in una volta sola. Avvia una "
        "nuova chat per il prossimo passo; tutto ciò che è stato realizzato finora rimane."
    ),
    too_large=(
        "Qualcosa in questa conversazione è troppo grande per essere inviato al modello. Usa un file o un'immagine più "
        "piccoli, oppure avvia una nuova chat; tutto ciò che è stato realizzato finora rimane."
    ),
    refused="Il fornitore del modello ha rifiutato questa richiesta. Riformulala e inviala di nuovo.",
    recall_tool=(
        "Recupera il testo di un risultato precedente che è stato rimosso dalla conversazione. "
        "Da usare per i risultati di strumenti che non vanno eseguiti di nuovo."
    ),
    recall_call_id="L'id della chiamata allo strumento il cui risultato è stato rimosso.",
    recall_start="Da che punto del testo iniziare, in caratteri; 0 è l'inizio.",
    recall_length="Quanti caratteri restituire; se omesso, tutto il testo a partire da quel punto.",
)
