import type { PagePerson } from '../scene-context.ts'

/** A new address is asked for so long before one ends. */
const EARLY_MS = 45_000

/**
 * Plays the live picture of a camera until the signal ends it. The requests carry the person's own token in a header;
 * the address itself opens nothing.
 * @param onFault the browser cannot play it, or it broke
 */
export async function playCamera(
  video: HTMLVideoElement,
  person: PagePerson,
  channel: string,
  signal: AbortSignal,
  onFault: (fault: 'unsupported' | 'broken') => void,
): Promise<void> {
  const [{ default: Hls }, stream] = await Promise.all([import('hls.js/light'), person.camera(channel)])
  if (signal.aborted) return
  if (!Hls.isSupported()) {
    onFault('unsupported')
    return
  }
  const hls = new Hls({
    xhrSetup: request => request.setRequestHeader('Authorization', person.authorization()),
    backBufferLength: 30,
    // The page's policy starts no program from a blob: pieces are put together where they arrive.
    enableWorker: false,
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    clearTimeout(timer)
    hls.destroy()
  }
  signal.addEventListener('abort', end, { once: true })
  let repaired = false
  hls.on(Hls.Events.ERROR, (_, { fatal, type }) => {
    if (!fatal) return
    if (type === Hls.ErrorTypes.MEDIA_ERROR && !repaired) {
      repaired = true
      hls.recoverMediaError()
    } else onFault('broken')
  })
  hls.loadSource(stream.url)
  hls.attachMedia(video)
  // A browser that wants a press first shows its own controls.
  await video.play().catch(() => undefined)
  if (stream.expiresAt === null || signal.aborted) return
  const left = Date.parse(stream.expiresAt) - Date.now() - EARLY_MS
  timer = setTimeout(
    () => {
      signal.removeEventListener('abort', end)
      end()
      playCamera(video, person, channel, signal, onFault).catch(() => onFault('broken'))
    },
    Math.min(Math.max(EARLY_MS, left), 2_147_000_000),
  )
}
