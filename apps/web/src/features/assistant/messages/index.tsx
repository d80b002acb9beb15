import type { MessageBodyProps } from '../model.ts'

/** The text of a reply. */
export function MessageBody({ message }: MessageBodyProps) {
  return <div style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{message.data}</div>
}
