import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../../../../tools/lib/free-port.ts'
import { SIGNATURE_LANGUAGES, type SignatureLanguage, signatureSample } from './signature-samples.ts'

const SECRET = 'whsec_0123456789+/abc='
const BODY = JSON.stringify({
  items: [{ id: 'i1', type: 'property', ts: 1, productKey: 'p', deviceNo: '设备-1', deviceId: 'd', data: { t: 21.5 } }],
})

/** How a sample is run where its tool is there. */
const RUN: Partial<Record<SignatureLanguage, { file: string; command: string; args: string[] }>> = {
  node: { file: 'receiver.mjs', command: process.execPath, args: [] },
  python: { file: 'receiver.py', command: 'python3', args: [] },
  java: { file: 'Receiver.java', command: 'java', args: [] },
  php: { file: 'receiver.php', command: 'php', args: [] },
}

const folder = mkdtempSync(join(tmpdir(), 'tw-receivers-'))
const running: ChildProcess[] = []
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function there(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** As the server signs: one `v1` for each secret that holds. */
function signed(t: number, body = BODY, secrets = [SECRET]): string {
  const v1 = (secret: string) => `v1=${createHmac('sha256', secret).update(`${t}.abc123.${body}`).digest('hex')}`
  return [`t=${t}`, 'n=abc123', ...secrets.map(v1)].join(',')
}

/** One request over a connection of its own: a receiver may close a kept one at any moment. */
const ask = (port: number, signature: string, body: string) =>
  new Promise<number>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'thingwright-signature': signature }
    request({ host: '127.0.0.1', port, method: 'POST', agent: false, headers }, answer => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
      .on('error', reject)
      .end(body)
  })

/** Asks until the receiver listens. */
async function post(port: number, signature: string, body = BODY): Promise<number> {
  for (;;) {
    try {
      return await ask(port, signature, body)
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== 'ECONNREFUSED' && code !== 'ECONNRESET') throw error
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
}

describe('receivers that check the signature', () => {
  it('says the same of every language: header, five minutes, constant-time comparison', () => {
    for (const language of SIGNATURE_LANGUAGES) {
      const text = signatureSample(language)
      expect(text, language).toMatch(/thingwright[-_]signature/i)
      expect(text, language).toMatch(/300_?000|5 ?\* ?time\.Minute/)
      expect(text, language).toMatch(/timingSafeEqual|compare_digest|isEqual|hmac\.Equal|FixedTimeEquals|hash_equals/)
    }
  })

  const runnable = SIGNATURE_LANGUAGES.filter(
    language => RUN[language] && there(language === 'java' ? 'javac' : RUN[language].command),
  )
  console.log(
    `receivers run: ${runnable.join(', ')}; no tool here: ${SIGNATURE_LANGUAGES.filter(l => !runnable.includes(l)).join(', ')}`,
  )

  it.each(runnable)('%s takes what we signed and refuses what is forged, changed or old', async language => {
    const { file, command, args } = RUN[language]!
    const path = join(folder, file)
    writeFileSync(path, signatureSample(language))
    const port = await freePort()
    const child = spawn(command, [...args, ...(language === 'php' ? ['-S', `127.0.0.1:${port}`] : []), path], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, WEBHOOK_SECRET: SECRET, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    running.push(child)
    const now = Date.now()
    expect(await post(port, signed(now))).toBe(204)
    expect(await post(port, signed(now, BODY, ['the next secret', SECRET]))).toBe(204)
    expect(await post(port, signed(now, BODY, [SECRET, 'the next secret']))).toBe(204)
    expect(await post(port, signed(now, BODY, ['another secret', 'the next secret']))).toBe(401)
    expect(await post(port, signed(now), BODY.replace('21.5', '99.5'))).toBe(401)
    expect(await post(port, signed(now - 301_000))).toBe(401)
    expect(await post(port, '')).toBe(401)
    expect(await post(port, `t=${now},n=abc123,v1=zz`)).toBe(401)
  })
})
