import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply } from '../../lib/http.ts'
import { OutboundError } from '../../lib/outbound/outbound.ts'
import * as accounts from './accounts.repo.ts'
import * as channels from './channels.repo.ts'
import type { MediaFetch } from './video.port.ts'

export interface StreamRelay {
  /** Creates an address of this server that relays a stream until a time (epoch ms). */
  wrap(channelId: string, url: string, until: number): string
  /** @throws AppError video.not_found, video.stream_ended, video.vendor_unreachable */
  open(ctx: Ctx, channelId: string, sealed: string): Promise<StreamReply>
}

/** Largest playlist that is relayed, bytes. */
const PLAYLIST_BYTES = 1_048_576
const context = (channelId: string) => `video-stream:${channelId}`

/**
 * Relays streams of cameras: browsers ask this server, so that neither the vendor's addresses nor its tokens reach them,
 * and so that the right to a picture ends with the right to the channel.
 */
export function createStreamRelay(deps: { database: Database; box: CryptoBox; media: MediaFetch }): StreamRelay {
  const { database, box, media } = deps
  const wrap: StreamRelay['wrap'] = (channelId, url, until) => {
    const sealed = box.seal(JSON.stringify({ url, until }), context(channelId)).toString('base64url')
    return `/api/v1/video/channels/${channelId}/stream?u=${sealed}`
  }

  function opened(channelId: string, sealed: string): { url: string; until: number } {
    try {
      return JSON.parse(box.open(Buffer.from(sealed, 'base64url'), context(channelId)).toString('utf8'))
    } catch {
      throw new AppError('video.stream_ended')
    }
  }

  return {
    wrap,
    async open(ctx, channelId, sealed) {
      const { url, until } = opened(channelId, sealed)
      if (until < ctx.now) throw new AppError('video.stream_ended')
      const simulated = await database.withTenant(ctx, async scope => {
        const row = await channels.find(scope, channelId)
        if (!row) throw new AppError('video.not_found')
        return row.accountId === null ? false : ((await accounts.find(scope, row.accountId))?.simulated ?? false)
      })
      let answer: Response
      try {
        answer = await media(url, simulated)
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error
        throw new AppError('video.vendor_unreachable', { params: { reason: error.message } })
      }
      if (!answer.ok || !answer.body) {
        await answer.body?.cancel()
        throw new AppError('video.vendor_unreachable', { params: { reason: `HTTP ${answer.status}` } })
      }
      const type = answer.headers.get('content-type') ?? ''
      if (!/mpegurl/i.test(type) && !/\.m3u8$/i.test(new URL(url).pathname))
        return new StreamReply(Readable.fromWeb(answer.body as ReadableStream), mediaType(type, url))
      const text = await answer.text()
      if (text.length > PLAYLIST_BYTES || !text.trimStart().startsWith('#EXTM3U'))
        throw new AppError('video.vendor_unreachable', { params: { reason: 'not a playlist' } })
      const playlist = rewritten(text, part => wrap(channelId, new URL(part, url).href, until))
      return new StreamReply(Readable.from([playlist]), 'application/vnd.apple.mpegurl')
    },
  }
}

/** A playlist (RFC 8216) with each address in it replaced. */
export function rewritten(playlist: string, replace: (address: string) => string): string {
  return playlist
    .split(/\r?\n/)
    .map(line => {
      if (line.trim() === '') return line
      if (!line.startsWith('#')) return replace(line.trim())
      return line.replace(/URI="([^"]+)"/g, (_, address: string) => `URI="${replace(address)}"`)
    })
    .join('\n')
}

/** Content types that are relayed; others are replaced, whatever the vendor sends. */
function mediaType(said: string, url: string): string {
  const type = said.split(';')[0]!.trim().toLowerCase()
  if (/^(video|audio)\/[\w.+-]+$/.test(type)) return type
  return /\.flv$/i.test(new URL(url).pathname) ? 'video/x-flv' : 'application/octet-stream'
}
