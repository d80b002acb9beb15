import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { UploadRequest } from '../../lib/upload.ts'

vi.mock('../../lib/upload.ts', () => ({ uploadFile: () => Promise.reject(new Error('not in this test')) }))
vi.mock('../../lib/session.ts', () => ({ onSessionEnd: () => () => {} }))
vi.mock('../../lib/errors.ts', () => ({
  errorFacts: (error: Error) => ({ message: error.message }),
  isSilent: () => false,
}))

const { addUploads, cancelUpload, clearUploads, onUploaded, retryUpload, sendWith, useUploads } = await import(
  './upload-queue.ts'
)

interface Sent {
  request: UploadRequest
  finish: () => void
  fail: (error: Error) => void
}
let sent: Sent[] = []
const files = (n: number) => Array.from({ length: n }, (_, i) => new File(['x'], `f${i}`))
const states = () => useUploads.getState().items.map(item => item.state)

beforeEach(() => {
  sent = []
  useUploads.setState({ items: [] })
  sendWith((request: UploadRequest) => {
    return new Promise((resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason))
      sent.push({ request, finish: () => resolve({} as never), fail: reject })
    })
  })
})

describe('uploads', () => {
  it('go three at a time, in order, and say how far they are', async () => {
    let done = 0
    onUploaded(() => done++)
    addUploads(files(5), 'folder')
    expect(states()).toEqual(['sending', 'sending', 'sending', 'waiting', 'waiting'])
    expect(sent[0]!.request.fields).toEqual({ folderId: 'folder' })
    sent[0]!.request.onProgress(5, 10)
    expect(useUploads.getState().items[0]!.progress).toBe(0.5)
    sent[1]!.finish()
    await expect.poll(() => states()).toEqual(['sending', 'done', 'sending', 'sending', 'waiting'])
    expect(done).toBe(1)
  })

  it('are cancelled while waiting and while sending; the next one takes the place', async () => {
    addUploads(files(4), null)
    const [first, , , last] = useUploads.getState().items.map(item => item.key)
    cancelUpload(last!)
    cancelUpload(first!)
    expect(sent[0]!.request.signal.aborted).toBe(true)
    await expect.poll(() => states()).toEqual(['cancelled', 'sending', 'sending', 'cancelled'])
    expect(sent).toHaveLength(3)
  })

  it('that fail keep the words of the server and can be tried again', async () => {
    addUploads(files(1), null)
    sent[0]!.fail(new Error('too large'))
    await expect.poll(() => states()).toEqual(['failed'])
    const [item] = useUploads.getState().items
    expect(item!.error).toBe('too large')
    retryUpload(item!.key)
    expect(states()).toEqual(['sending'])
    sent[1]!.finish()
    await expect.poll(() => states()).toEqual(['done'])
    clearUploads()
    expect(states()).toEqual([])
  })
})
