// npm run backup -- FILE, npm run restore -- FILE: the whole installation to and from one file.
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { buildIfStale } from './build.mjs'
import { checkPlatform, fail, installIfStale, root } from './lib.mjs'

checkPlatform()
const [command, file, ...more] = process.argv.slice(2)
if (!file || more.length || !['backup', 'restore'].includes(command))
  fail(`Usage: npm run ${command === 'restore' ? 'restore' : 'backup'} -- FILE`)
await installIfStale()
await buildIfStale({ quiet: true })
// npm runs scripts in the project's folder; the file is meant where the command was typed.
const target = resolve(process.env.INIT_CWD ?? process.cwd(), file)
const child = spawn(process.execPath, [join(root, `dist/server/${command}.js`), target], { stdio: 'inherit' })
// The terminal's Ctrl-C reaches the command by itself, which gives up in order; SIGTERM reaches only us.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('exit', code => process.exit(code ?? 1))
