import type { MediaView } from '@thingwright/contracts/media.contract'
import { create } from 'zustand'
import { errorFacts, isSilent } from '../../lib/errors.ts'
import { randomId } from '../../lib/ids.ts'
import { onSessionEnd } from '../../lib/session.ts'
import { type UploadRequest, uploadFile } from '../../lib/upload.ts'

export interface UploadItem {
  key: string
  file: File
  folderId: string | null
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled'
  /** 0 to 1. */
  progress: number
  error?: string
}

/** Files under way; they go on while the person looks at other pages. */
export const useUploads = create<{ items: UploadItem[] }>(() => ({ items: [] }))

/** So many files at once: more would only share the same line. */
const AT_ONCE = 3
const stops = new Map<string, AbortController>()
let send: <T>(request: UploadRequest) => Promise<T> = uploadFile
let onDone: () => void = () => {}

/** Told after every file that arrived. */
export function onUploaded(listener: () => void): () => void {
  onDone = listener
  return () => {
    if (onDone === listener) onDone = () => {}
  }
}

/** For tests: another way to send. */
export function sendWith(other: typeof send): void {
  send = other
}

function change(key: string, to: Partial<UploadItem>): void {
  useUploads.setState(({ items }) => ({ items: items.map(item => (item.key === key ? { ...item, ...to } : item)) }))
}

export function addUploads(files: readonly File[], folderId: string | null): void {
  const added = files.map((file): UploadItem => ({ key: randomId(), file, folderId, state: 'waiting', progress: 0 }))
  useUploads.setState(({ items }) => ({ items: [...items, ...added] }))
  next()
}

export function cancelUpload(key: string): void {
  stops.get(key)?.abort(new DOMException('cancelled', 'AbortError'))
  change(key, { state: 'cancelled' })
  next()
}

export function retryUpload(key: string): void {
  change(key, { state: 'waiting', progress: 0 })
  next()
}

/** Forgets what is over. */
export function clearUploads(): void {
  useUploads.setState(({ items }) => ({
    items: items.filter(item => item.state === 'waiting' || item.state === 'sending'),
  }))
}

function next(): void {
  const { items } = useUploads.getState()
  const free = AT_ONCE - items.filter(item => item.state === 'sending').length
  for (const item of items.filter(each => each.state === 'waiting').slice(0, Math.max(0, free))) void run(item)
}

async function run(item: UploadItem): Promise<void> {
  const stop = new AbortController()
  stops.set(item.key, stop)
  change(item.key, { state: 'sending', progress: 0 })
  try {
    await send<MediaView>({
      method: 'POST',
      url: '/api/v1/media',
      fields: item.folderId === null ? {} : { folderId: item.folderId },
      file: item.file,
      signal: stop.signal,
      onProgress: (loaded, total) => change(item.key, { progress: total > 0 ? loaded / total : 0 }),
    })
    change(item.key, { state: 'done', progress: 1 })
    onDone()
  } catch (error) {
    if (stop.signal.aborted || isSilent(error)) change(item.key, { state: 'cancelled' })
    else change(item.key, { state: 'failed', error: errorFacts(error).message })
  } finally {
    stops.delete(item.key)
    next()
  }
}

// Another person must not find the files of the one before.
onSessionEnd(() => {
  for (const stop of stops.values()) stop.abort()
  useUploads.setState({ items: [] })
})
