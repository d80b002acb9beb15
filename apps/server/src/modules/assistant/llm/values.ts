import type { Tool } from '../../../lib/tools/tools.ts'
import type { ToolOutcome } from '../engine.ts'
import type { LlmMessage } from '../llm.port.ts'

/** What a model reads in place of something that the company keeps to itself (`sendValues` off). */
export const WITHHELD = '[withheld by the company’s data policy]'

/** Tools that are about measured values and messages and nothing else: a model is not even offered them. */
export function isAboutValues(tool: Tool): boolean {
  return tool.permission.startsWith('telemetry:')
}

/** Under which keys results of other tools carry what devices sent or were sent. */
const VALUE_KEYS =
  /^(values?|latest|telemetry|points|series|samples?|reported|desired|shadow|payload|raw|hex|bytes|frames?|messages?|decoded|reply|output)$/i

/** The same without values. A text cannot be searched for them: see {@link isShownOnly}. */
export function withoutValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutValues)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      VALUE_KEYS.test(key) && typeof inner !== 'number' ? WITHHELD : withoutValues(inner),
    ]),
  )
}

/** Whether results of the tool tell values in ways that cannot be taken apart; answers of devices among them. */
function isWhollyWithheld(tool: Tool | undefined): boolean {
  return tool !== undefined && (isAboutValues(tool) || tool.tellsValues === true || tool.class === 'control')
}

/** Whether the person must be shown the result's text itself, because the model does not get to see it. */
export function isShownOnly(outcome: ToolOutcome, tool: Tool | undefined, sendValues: boolean): boolean {
  if (sendValues || outcome.state !== 'done') return false
  return outcome.result.data === undefined || isWhollyWithheld(tool)
}

/**
 * Earlier messages as a model may read them that is told no values: results without them, and what was said about
 * results that held some is left out. The built-in engine and a time when values were told leave such messages behind.
 */
export function historyWithoutValues(history: readonly LlmMessage[], tools: readonly Tool[]): LlmMessage[] {
  const called = new Map<string, string>()
  let heldSome = false
  return history.map(message => {
    if (message.role === 'user') heldSome = false
    if (message.role === 'assistant') for (const { id, name } of message.toolCalls ?? []) called.set(id, name)
    if (message.role === 'tool') {
      const content = resultWithoutValues(
        message.content,
        tools.find(tool => tool.name === called.get(message.toolCallId)),
      )
      heldSome ||= content !== message.content
      return { ...message, content }
    }
    return message.role === 'assistant' && heldSome && message.content !== ''
      ? { ...message, content: WITHHELD }
      : message
  })
}

function resultWithoutValues(content: string, tool: Tool | undefined): string {
  const before = objectIn(content)
  // Withheld when it was made, or nothing came of it: there is nothing in it.
  if (before?.result === WITHHELD || before?.ok === false) return content
  if (!before || isWhollyWithheld(tool)) return WITHHELD
  const after = JSON.stringify(withoutValues(before))
  return after === JSON.stringify(before) ? content : after
}

function objectIn(content: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(content)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
