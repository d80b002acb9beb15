import { type ChildProcess, fork } from 'node:child_process'

interface Typed {
  type: string
}

/** A helper of a benchmark in a process of its own, so that neither its CPU nor its pauses are anybody else's. */
export class ChildTool<To extends Typed, From extends Typed> {
  private constructor(private readonly child: ChildProcess) {}

  /** @param file a module that ends with {@link serveParent} */
  static async start<To extends Typed, From extends Typed>(file: string): Promise<ChildTool<To, From>> {
    const child = fork(file, { execArgv: ['--import', 'tsx'], serialization: 'advanced' })
    const tool = new ChildTool<To, From>(child)
    await tool.next('ready')
    return tool
  }

  /** @throws what went wrong over there, or that it ended */
  async ask<T extends From['type']>(message: To, type: T): Promise<Extract<From, { type: T }>> {
    const answer = this.next(type)
    this.child.send(message)
    return (await answer) as Extract<From, { type: T }>
  }

  stop(): void {
    this.child.kill('SIGKILL')
  }

  private next(type: string): Promise<Typed> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.child.off('message', onMessage)
        this.child.off('exit', onExit)
      }
      const onMessage = (message: Typed & { message?: string }) => {
        settle()
        if (message.type === type) resolve(message)
        else reject(new Error(message.type === 'failed' ? message.message : `unexpected answer ${message.type}`))
      }
      const onExit = () => {
        settle()
        reject(new Error('a helper of the benchmark ended'))
      }
      this.child.on('message', onMessage)
      this.child.on('exit', onExit)
    })
  }
}

/** The other end: answers one question after the other, ends with the benchmark. */
export function serveParent<To extends Typed, From extends Typed>(answer: (message: To) => From | Promise<From>): void {
  const reply = (message: Typed) => void process.send!(message)
  process.on('message', (message: To) => {
    Promise.resolve()
      .then(() => answer(message))
      .then(reply)
      .catch((error: unknown) =>
        reply({ type: 'failed', message: error instanceof Error ? error.message : String(error) } as Typed),
      )
  })
  process.on('disconnect', () => process.exit(0))
  reply({ type: 'ready' })
}
