/** Asks WeChat, or whatever stands in its place. */
export interface WechatHttp {
  /**
   * @param base such as `https://api.weixin.qq.com`
   * @param path with its query
   * @param body absent: GET
   * @returns the answer, which says nothing against the request
   * @throws WechatError
   */
  ask(base: string, simulated: boolean, path: string, body?: object): Promise<Record<string, unknown>>
  /** The same for an answer that is a picture. */
  picture(base: string, simulated: boolean, path: string): Promise<{ type: string; bytes: Buffer }>
}

/** WeChat did not do what it was asked. */
export class WechatError extends Error {
  override name = 'WechatError'
  constructor(
    /** WeChat's own; null: it gave no answer, or none that can be read. */
    readonly code: number | null,
    /** In WeChat's own words. */
    readonly text: string,
  ) {
    super(code === null ? text : `${code} ${text}`)
  }

  /** The access token ended before its time. */
  get isTokenGone(): boolean {
    return this.code === 40001 || this.code === 40014 || this.code === 42001
  }
}

/** Where WeChat answers when nothing else is said. */
export const WECHAT_HOST = 'https://api.weixin.qq.com'
