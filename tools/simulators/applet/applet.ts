import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Order, Seen } from './applet.main.ts'

/** A mini-program that runs, and the person who uses it. */
export interface RunningApplet {
  look(): Promise<Seen>
  /** The next wx.login answers with this code. */
  code(code: string): Promise<void>
  /** What the person says from now on when messages are asked for; no at first. */
  answer(answer: 'accept' | 'reject'): Promise<void>
  open(url: string): Promise<void>
  /** @param at which of several */
  tap(selector: string, at?: number): Promise<void>
  type(selector: string, value: string): Promise<void>
  /** Moves a switch or chooses in a picker. */
  change(selector: string, value: unknown, at?: number): Promise<void>
  close(): void
}

export interface AppletOptions {
  /** Files of the package by their paths. */
  files: Readonly<Record<string, string>>
  /** Of ext.json, for the template of a third-party platform. */
  ext?: object
  /** What WeChat is set to. */
  language?: 'zh_CN' | 'en'
  /** Origins that the mini-program may ask. */
  domains: readonly string[]
  codes?: readonly string[]
}

/**
 * Starts a mini-program over WeChat's component framework, in a process of its own: the framework wants the globals of a
 * browser.
 */
export async function startApplet({
  files,
  ext,
  language = 'zh_CN',
  domains,
  codes = [],
}: AppletOptions): Promise<RunningApplet> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'applet.main.ts'), [], { execArgv: ['--import', 'tsx'] })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let count = 0
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', code => reject(new Error(`the mini-program ended with ${code}`)))
  })
  child.on('message', ({ ask, value, fault }: { ask: number; value?: unknown; fault?: string }) => {
    const one = waiting.get(ask)
    waiting.delete(ask)
    if (fault === undefined) one?.resolve(value)
    else one?.reject(new Error(fault))
  })
  child.on('exit', () => {
    for (const one of waiting.values()) one.reject(new Error('the mini-program ended'))
  })
  const say = <T>(order: Order) =>
    new Promise<T>((resolve, reject) => {
      const ask = ++count
      waiting.set(ask, { resolve: value => resolve(value as T), reject })
      child.send({ ask, order })
    })
  const event = (selector: string, name: string, detail: Record<string, unknown>, at = 0) =>
    say<void>({ type: 'event', selector, at, name, detail })
  await say({
    type: 'start',
    files: { ...files },
    ext: ext ?? null,
    language,
    domains: [...domains],
    codes: [...codes],
  })
  return {
    look: () => say<Seen>({ type: 'look' }),
    code: code => say({ type: 'code', code }),
    answer: answer => say({ type: 'answer', answer }),
    open: url => say({ type: 'open', url }),
    tap: (selector, at) => event(selector, 'tap', {}, at),
    type: (selector, value) => event(selector, 'input', { value }),
    change: (selector, value, at) => event(selector, 'change', { value }, at),
    close: () => child.kill(),
  }
}
