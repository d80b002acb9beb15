import type { DownlinkMessage } from '../../transport.port.ts'

const LF = Buffer.from('\n')

/**
 * What is written to a device that speaks bytes. A format that makes no frames of its own (plain JSON) gets the command
 * as one line: `{"kind","identifier"?,"id","params"}`.
 */
export function framesOf(message: DownlinkMessage): readonly Buffer[] {
  if (message.frames) return message.frames
  const { kind, identifier } = message.command
  const head = { kind, ...(identifier === null ? {} : { identifier }) }
  const body = message.payload.toString('utf8')
  return [Buffer.concat([Buffer.from(`${JSON.stringify(head).slice(0, -1)},${body.slice(1)}`), LF])]
}
