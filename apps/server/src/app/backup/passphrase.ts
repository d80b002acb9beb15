import { ConfigError } from '../../lib/config.ts'

const VARIABLE = 'BACKUP_PASSPHRASE'
const SHORTEST = 12

/**
 * The passphrase of a backup: from the environment, or typed in at a terminal where it is not shown. Never from the
 * command line, which every user of the machine can read.
 * @param twice asked again, so that a slip of the hand does not make a file that nobody can open
 */
export async function askPassphrase(env: NodeJS.ProcessEnv, twice: boolean): Promise<string> {
  const given = env[VARIABLE]
  if (given) return longEnough(given)
  if (!process.stdin.isTTY)
    throw new ConfigError(`${VARIABLE}: missing; the passphrase of the backup, at least ${SHORTEST} characters`)
  const typed = longEnough(await typeIn('Passphrase of the backup: '))
  if (twice && (await typeIn('The same again: ')) !== typed) throw new ConfigError('These were two passphrases.')
  return typed
}

function longEnough(text: string): string {
  if ([...text].length < SHORTEST)
    throw new ConfigError(`${VARIABLE}: got ${[...text].length} characters, takes at least ${SHORTEST}`)
  return text
}

/** Reads a line without showing it. Ctrl-C ends the command. */
function typeIn(question: string): Promise<string> {
  const { stdin } = process
  process.stderr.write(question)
  stdin.setRawMode(true)
  stdin.resume()
  return new Promise((resolve, reject) => {
    let text = ''
    const end = (done: () => void) => {
      stdin.setRawMode(false)
      stdin.pause()
      stdin.off('data', take)
      process.stderr.write('\n')
      done()
    }
    const take = (data: Buffer) => {
      for (const letter of data.toString()) {
        if (letter === '\r' || letter === '\n') return end(() => resolve(text))
        if (letter === '\u0003' || letter === '\u0004') return end(() => reject(new ConfigError('Given up.')))
        text = letter === '\u007f' || letter === '\b' ? [...text].slice(0, -1).join('') : text + letter
      }
    }
    stdin.on('data', take)
  })
}
