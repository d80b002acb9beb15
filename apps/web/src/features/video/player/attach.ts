import type { StreamView } from '@thingwright/contracts/video.contract'
import { useSession } from '../../../lib/session.ts'

/** Why a picture does not play: the browser cannot, or the stream ended or broke. */
export type StreamFault = 'unsupported' | 'broken'

const bearer = () => `Bearer ${useSession.getState().token?.access_token ?? ''}`

/**
 * Plays a stream in an element. Requests carry the person's own token, which is looked up for each of them: it may have
 * been renewed meanwhile.
 * @returns what ends it
 */
export async function attach(
  video: HTMLVideoElement,
  stream: StreamView,
  { live, onFault }: { live: boolean; onFault: (fault: StreamFault) => void },
): Promise<() => void> {
  return stream.kind === 'hls' ? playHls(video, stream.url, onFault) : playFlv(video, stream.url, live, onFault)
}

async function playHls(video: HTMLVideoElement, url: string, onFault: (fault: StreamFault) => void) {
  const { default: Hls } = await import('hls.js/light')
  if (!Hls.isSupported()) {
    onFault('unsupported')
    return () => {}
  }
  const hls = new Hls({
    xhrSetup: request => request.setRequestHeader('Authorization', bearer()),
    backBufferLength: 30,
  })
  let repaired = false
  hls.on(Hls.Events.ERROR, (_, { fatal, type }) => {
    if (!fatal) return
    if (type === Hls.ErrorTypes.MEDIA_ERROR && !repaired) {
      repaired = true
      hls.recoverMediaError()
    } else onFault('broken')
  })
  hls.loadSource(url)
  hls.attachMedia(video)
  return () => hls.destroy()
}

async function playFlv(
  video: HTMLVideoElement,
  url: string,
  live: boolean,
  onFault: (fault: StreamFault) => void,
): Promise<() => void> {
  const { default: mpegts } = await import('mpegts.js')
  if (!mpegts.isSupported()) {
    onFault('unsupported')
    return () => {}
  }
  const player = mpegts.createPlayer(
    { type: 'flv', isLive: live, url: new URL(url, location.href).href },
    { headers: { Authorization: bearer() }, liveBufferLatencyChasing: live, lazyLoad: false },
  )
  player.on(mpegts.Events.ERROR, () => onFault('broken'))
  player.attachMediaElement(video)
  player.load()
  return () => player.destroy()
}
