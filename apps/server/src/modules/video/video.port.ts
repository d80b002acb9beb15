import type { PtzDirection, PtzSpeed } from '@thingwright/contracts/video.words'

/** A token as the vendor gave it, and the host that the account's calls go to. */
export interface VideoToken {
  value: string
  /** Epoch ms. */
  expiresAt: number
  /** Where calls go; an account abroad is told another host with its token. */
  host: string
}

export interface VideoAccess {
  appKey: string
  appSecret: string
  baseUrl: string
  /** Kept between requests; null: none yet. */
  token: VideoToken | null
  /** Called with each new token. */
  keep(token: VideoToken): Promise<void>
}

/** What a request failed with: the vendor's own code and words. */
export class VideoError extends Error {
  readonly code: string
  readonly text: string
  /** Nothing was answered, or nothing that can be read. */
  readonly unreachable: boolean
  constructor(code: string, text: string, unreachable = false) {
    super(`${code} ${text}`)
    this.code = code
    this.text = text
    this.unreachable = unreachable
  }
}

export interface VendorChannel {
  serial: string
  channelNo: number
  name: string
  model: string
  online: boolean
  encrypted: boolean
}

export interface VendorDevice {
  serial: string
  model: string
  armed: boolean
}

/** What a camera noticed. */
export interface VendorAlarm {
  id: string
  name: string
  /** The vendor's number of its kind. */
  type: string
  /** Epoch ms. */
  at: number
  serial: string
  channelNo: number
  /** null: no picture was taken. */
  pictureUrl: string | null
}

export interface VendorStream {
  url: string
  /** Epoch ms; null: not said. */
  expiresAt: number | null
}

/** What cameras of one account can be asked for. */
export interface VideoVendor {
  /** Asks for a new token. */
  test(): Promise<void>
  /** All channels of the account, page by page. */
  channels(): AsyncGenerator<VendorChannel[]>
  /** All devices of the account, page by page. */
  devices(): AsyncGenerator<VendorDevice[]>
  channelsOf(serial: string): Promise<VendorChannel[]>
  add(serial: string, code: string): Promise<void>
  rename(serial: string, name: string): Promise<void>
  remove(serial: string): Promise<void>
  live(
    of: { serial: string; channelNo: number; code: string | null },
    want: { kind: 'hls' | 'flv'; quality: 'main' | 'sub'; seconds: number },
  ): Promise<VendorStream>
  playback(
    of: { serial: string; channelNo: number; code: string | null },
    want: { from: number; to: number; source: 'local' | 'cloud' },
  ): Promise<VendorStream>
  recordings(
    of: { serial: string; channelNo: number },
    want: { from: number; to: number; source: 'local' | 'cloud' },
  ): Promise<{ from: number; to: number }[]>
  turn(of: { serial: string; channelNo: number }, direction: PtzDirection, speed: PtzSpeed): Promise<void>
  halt(of: { serial: string; channelNo: number }): Promise<void>
  arm(serial: string, armed: boolean): Promise<void>
  addPreset(of: { serial: string; channelNo: number }): Promise<number>
  goPreset(of: { serial: string; channelNo: number }, index: number): Promise<void>
  removePreset(of: { serial: string; channelNo: number }, index: number): Promise<void>
  /** What cameras of the account noticed in a stretch of time, page by page. */
  alarms(want: { from: number; to: number }): AsyncGenerator<VendorAlarm[]>
  /** The bytes of a picture that an alarm names. */
  pictureAt(url: string): Promise<Buffer>
  /** Takes a picture. @returns its bytes */
  picture(of: { serial: string; channelNo: number }): Promise<Buffer>
}

export type VideoFactory = (access: VideoAccess, simulated: boolean) => VideoVendor

/** Asks for a playlist or a piece of a stream; the answer is read as it comes. @throws OutboundError */
export type MediaFetch = (url: string, simulated: boolean) => Promise<Response>
