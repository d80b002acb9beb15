// npm run dev: server and console in watch mode; a reload starts the server again on the same data.
import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { checkPlatform, installIfStale, onLostParent, root } from './lib.mjs'

checkPlatform()
await installIfStale()

const children = new Set()
function start(args, cwd, env = {}) {
  const child = spawn(process.execPath, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } })
  children.add(child)
  child.on('exit', () => children.delete(child))
  return child
}

const web = start([join(root, 'node_modules/vite/bin/vite.js'), '--port', '5173'], join(root, 'apps/web'))
let server
let restarting = false

function startServer() {
  server = start(['--import', 'tsx', '--enable-source-maps', join(root, 'apps/server/src/main.ts')], root)
  server.on('exit', code => {
    if (restarting) return
    if (code) process.stdout.write('The server ended; waiting for a change ...\n')
  })
}
startServer()

let timer
function changed() {
  clearTimeout(timer)
  timer = setTimeout(() => {
    restarting = true
    const again = () => {
      restarting = false
      startServer()
    }
    if (server.exitCode === null && server.signalCode === null) {
      server.once('exit', again)
      server.kill('SIGTERM')
    } else again()
  }, 200)
}
for (const folder of ['apps/server/src', 'packages']) {
  watch(join(root, folder), { recursive: true }, (_event, file) => {
    if (file && /\.(ts|json|sql)$/.test(file) && !/\.test\.ts$/.test(file)) changed()
  })
}

function stop() {
  for (const child of children) child.kill('SIGTERM')
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
onLostParent(stop)
web.on('exit', () => {
  for (const child of children) child.kill('SIGTERM')
})
