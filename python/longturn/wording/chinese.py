"""Chinese, in simplified characters."""

from __future__ import annotations

from typing import Final

from longturn.wording.phrases import Phrases

PHRASES: Final = Phrases(
    cleared="[为使对话不超出模型的上下文，此工具结果已被清除。如有需要，请重新运行该工具。]",
    cleared_recall=(
        "[为使对话不超出模型的上下文，此工具结果已被清除。请勿重新运行该工具；如需该结果，请用调用 ID 取回。]"
    ),
    cleared_input="[已随结果一并清除]",
    left_out="[为使对话不超出模型的上下文，此处省略了较早的一部分对话。上面的任务仍然有效。]",
    instructions=(
        "这段对话可能会变得很长，超出你一次能读取的范围。对此已有安排：届时最早的工具结果会被清除，原处留下一条说明，"
        "而最新的结果会完整保留。因此，切勿提前停止，也切勿为了节省空间而缩减或跳过长任务的任何部分。"
        "请继续工作，直到任务完成。如果需要已被清除的内容，请重新运行该工具并再次读取。"
    ),
    instructions_recall=(
        "有些工具不能运行两次；其结果被清除后，留下的说明会指明这一点，此时可用 recall 工具凭调用 ID 取回该结果。"
    ),
    too_long="这段对话已经太长，模型无法一次读完。请新建一个对话来进行下一步；到目前为止完成的所有内容都会保留。",
    too_large="这段对话中有内容过大，无法发送给模型。请使用较小的文件或图片，或者新建一个对话；到目前为止完成的所有内容都会保留。",
    refused="模型提供商拒绝了此请求。请换一种说法后重新发送。",
    recall_tool="取回已从对话中清除的较早工具结果的文本。适用于工具不可再次运行的结果。",
    recall_call_id="结果已被清除的那次工具调用的 ID。",
    recall_start="从文本的哪个位置开始，以字符计；0 表示开头。",
    recall_length="返回多少个字符；省略则返回该位置之后的全部文本。",
)
