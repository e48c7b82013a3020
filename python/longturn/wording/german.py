"""German."""

from __future__ import annotations

from typing import Final

from longturn.wording.phrases import Phrases

PHRASES: Final = Phrases(
    cleared=(
        "[Dieses Tool-Ergebnis wurde entfernt, damit die Unterhaltung in den Kontext des Modells passt. "
        "Führe das Tool erneut aus, wenn du das Ergebnis brauchst.]"
    ),
    cleared_recall=(
        "[Dieses Tool-Ergebnis wurde entfernt, damit die Unterhaltung in den Kontext des Modells passt. "
        "Führe das Tool nicht erneut aus: Rufe das Ergebnis über die Aufruf-ID ab, wenn du es brauchst.]"
    ),
    cleared_input="[zusammen mit dem Ergebnis entfernt]",
    left_out=(
        "[Ein früherer Teil dieser Unterhaltung wurde hier ausgelassen, damit sie in den Kontext des Modells passt. "
        "Die oben gestellte Aufgabe gilt weiterhin.]"
    ),
    instructions=(
        "Diese Unterhaltung kann länger werden, als du auf einmal aufnehmen kannst. Dafür ist gesorgt: Sobald das "
        "eintritt, werden die ältesten Tool-Ergebnisse entfernt und durch einen Hinweis ersetzt, während die neuesten "
        "vollständig erhalten bleiben. Höre deshalb nie vorzeitig auf, und kürze oder überspringe nie einen Teil einer "
        "langen Aufgabe, um Platz zu sparen. Arbeite weiter, bis die Aufgabe erledigt ist. Wenn du etwas brauchst, das "
        "entfernt wurde, führe das Tool erneut aus und lies das neue Ergebnis."
    ),
    instructions_recall=(
        "Manche Tools dürfen nicht zweimal ausgeführt werden; der Hinweis anstelle ihrer entfernten Ergebnisse sagt "
        "das, und das Tool recall holt ein solches Ergebnis über die Aufruf-ID zurück."
    ),
    too_long=(
        "Diese Unterhaltung ist so lang geworden, dass das Modell sie nicht mehr auf einmal lesen kann. Starten Sie "
        "für den nächsten Schritt einen neuen Chat; alles, was bisher entstanden ist, bleibt erhalten."
    ),
    too_large=(
        "Etwas in dieser Unterhaltung ist zu groß, um an das Modell gesendet zu werden. Verwenden Sie eine kleinere "
        "Datei oder ein kleineres Bild, oder starten Sie einen neuen Chat; alles, was bisher entstanden ist, bleibt "
        "erhalten."
    ),
    refused=(
        "Der Anbieter des Modells hat diese Anfrage abgelehnt. Formulieren Sie sie um und senden Sie sie noch einmal."
    ),
    recall_tool=(
        "Holt den Text eines früheren Tool-Ergebnisses zurück, das aus der Unterhaltung entfernt wurde. "
        "Für Ergebnisse, deren Tool nicht noch einmal ausgeführt werden darf."
    ),
    recall_call_id="Die ID des Tool-Aufrufs, dessen Ergebnis entfernt wurde.",
    recall_start="Ab welcher Stelle des Textes, in Zeichen; 0 ist der Anfang.",
    recall_length="Wie viele Zeichen zurückgegeben werden; ohne Angabe alles ab dieser Stelle.",
)
