import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { StartError } from '../start-error.ts'

/**
 * PostgreSQL refuses to run as root. How it is started instead:
 * - direct: we are not root
 * - userns: in a user namespace where root is shown as another user; files stay root's and any path works
 * - setuid: as another user; the path must be reachable for that user and the files must be his
 */
export type LaunchMode =
  | { kind: 'direct' }
  | { kind: 'userns'; uid: number; gid: number }
  | { kind: 'setuid'; uid: number; gid: number }

/** Environment of every PostgreSQL program: nothing of ours leaks in. */
export const POSTGRES_ENV = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
}

/** Chooses by trying: containers usually forbid user namespaces, plain machines allow them. */
export function chooseLaunchMode(): LaunchMode {
  if (process.getuid?.() !== 0) return { kind: 'direct' }
  const user = serviceUser()
  const userns: LaunchMode = { kind: 'userns', ...user }
  const [program, ...args] = launchCommand(userns, ['true'])
  const probe = spawnSync(program!, args, { env: POSTGRES_ENV, stdio: 'ignore', timeout: 10_000 })
  return probe.status === 0 ? userns : { kind: 'setuid', ...user }
}

/** The command line that runs a program in the mode. */
export function launchCommand(mode: LaunchMode, command: string[]): string[] {
  if (mode.kind !== 'userns') return command
  return ['unshare', '--user', `--map-user=${mode.uid}`, `--map-group=${mode.gid}`, '--', ...command]
}

/** The uid and gid to hand to spawn. */
export function launchIds(mode: LaunchMode): { uid?: number; gid?: number } {
  return mode.kind === 'setuid' ? { uid: mode.uid, gid: mode.gid } : {}
}

/** The user id that must own the database's files, as seen from this process. */
export function fileOwner(mode: LaunchMode): { uid: number; gid: number } | undefined {
  if (mode.kind === 'direct') return undefined
  return mode.kind === 'setuid' ? { uid: mode.uid, gid: mode.gid } : { uid: 0, gid: 0 }
}

/** Whether PostgreSQL could enter the folder in this mode. */
export function canEnter(mode: LaunchMode, dir: string): boolean {
  if (mode.kind !== 'setuid') return true
  const probe = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', dir], { ...launchIds(mode), stdio: 'ignore', cwd: '/' })
  return probe.status === 0
}

/** A user that exists in /etc/passwd (PostgreSQL looks its own name up) and is not root; nobody where there is one. */
function serviceUser(): { uid: number; gid: number } {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'))
    .map(fields => ({ name: fields[0], uid: Number(fields[2]), gid: Number(fields[3]) }))
    .filter(user => Number.isInteger(user.uid) && user.uid > 0 && Number.isInteger(user.gid))
  const chosen = users.find(user => user.uid === 65534) ?? users.find(user => user.name === 'nobody') ?? users.at(-1)
  if (!chosen) {
    throw new StartError(
      'PostgreSQL does not run as root and /etc/passwd has no other user: add one, or do not run as root.',
    )
  }
  return { uid: chosen.uid, gid: chosen.gid }
}
