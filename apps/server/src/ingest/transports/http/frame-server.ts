import type { Duplex } from 'node:stream'
import { type DeviceCall, encodeAnswer, FrameReader, FrameWriter } from '../../channel/device-frames.ts'
import type { Exchange } from './node-adapter.ts'

interface Open {
  gone: boolean
  leave: (() => void) | null
}

/** Serves the requests that the API process sends over its channel. When the channel ends, all askers are gone. */
export function serveFrames(socket: Duplex, handle: (call: DeviceCall, exchange: Exchange) => void): void {
  const open = new Map<number, Open>()
  const writer = new FrameWriter(socket)
  const leave = (id: number, state: Open) => {
    state.gone = true
    open.delete(id)
    state.leave?.()
  }
  const reader = new FrameReader(frame => {
    if (frame.type === 'gone') {
      const state = open.get(frame.id)
      if (state) leave(frame.id, state)
    }
    if (frame.type !== 'call') return
    const { id, call } = frame
    const state: Open = { gone: false, leave: null }
    open.set(id, state)
    handle(call, {
      answer(answer) {
        if (!open.delete(id)) return
        writer.add(encodeAnswer(id, answer))
      },
      gone: () => state.gone,
      onGone(handler) {
        state.leave = handler
      },
    })
  })
  socket.on('data', (chunk: Buffer) => {
    try {
      reader.push(chunk)
    } catch {
      socket.destroy()
    }
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    for (const [id, state] of [...open]) leave(id, state)
  })
}
