import { isStorableText } from '@thingwright/thing-model'
import { isObject, notFinite, Refusal, wrongShape } from '../codecs/shared/envelope.ts'

/** Longest texts kept of a reply. */
const MAX_ID = 64
const MAX_MESSAGE = 500

/** What a device says of a command. */
export interface Reply {
  commandId: string
  code: number
  message: string | null
  data: unknown
}

/** `{"id", "code", "message"?, "data"?}`; whatever else a device adds is left out. */
export function readReply(value: unknown, output: (data: unknown) => unknown): Reply | Refusal {
  if (!isObject(value)) return wrongShape('', 'expects an object')
  const { id, code, message } = value
  if (typeof id !== 'string' || id.length > MAX_ID || !isStorableText(id))
    return wrongShape('id', 'expects the id of the command')
  if (typeof code !== 'number') return wrongShape('code', 'expects a number')
  if (!Number.isFinite(code)) return notFinite('code')
  if (message !== undefined && message !== null) {
    if (typeof message !== 'string') return wrongShape('message', 'expects text')
    if (!isStorableText(message)) return new Refusal('text_not_storable', 'message', 'NUL or half a surrogate pair')
  }
  // Only a service that was done has an output.
  const data = code === 0 ? output(value.data) : null
  if (data instanceof Refusal) return data
  return { commandId: id, code, message: typeof message === 'string' ? shortened(message) : null, data }
}

function shortened(text: string): string {
  // Not through the middle of a pair.
  return text.length <= MAX_MESSAGE ? text : text.slice(0, MAX_MESSAGE).toWellFormed()
}
