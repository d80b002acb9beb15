import { serveParent } from '../core/child-process.ts'
import { Downloader } from './downloader.ts'
import type { FromDownloaders, ToDownloaders } from './messages.ts'

/** Sign-ins on their way at once. */
const AT_ONCE = 50

let devices: Downloader[] = []
let pings: NodeJS.Timeout | null = null

serveParent<ToDownloaders, FromDownloaders>(async message => {
  switch (message.type) {
    case 'connect': {
      const began = performance.now()
      devices = message.devices.map(identity => new Downloader(identity, () => undefined))
      for (let i = 0; i < devices.length; i += AT_ONCE)
        await Promise.all(devices.slice(i, i + AT_ONCE).map(device => device.connect(message.port, message.version)))
      pings = setInterval(() => {
        for (const device of devices) device.ping()
      }, 20_000)
      return { type: 'connected', seconds: (performance.now() - began) / 1000 }
    }
    case 'begin':
      for (const device of devices) device.manner = message.manner
      return { type: 'done' }
    case 'read': {
      const notified = devices.filter(device => device.startedAt > 0)
      const done = devices.filter(device => device.finishedAt > 0)
      const { user, system } = process.cpuUsage()
      return {
        type: 'figures',
        figures: {
          notified: notified.length,
          done: done.length,
          bytes: devices.reduce((sum, device) => sum + device.bytes, 0),
          wrong: devices.filter(device => device.wrong).length,
          refused: devices.reduce((sum, device) => sum + device.refused, 0),
          firstMs: Math.min(...notified.map(device => device.startedAt)),
          lastMs: Math.max(...done.map(device => device.finishedAt)),
          took: done.map(device => (device.finishedAt - device.startedAt) / 1000).sort((a, b) => a - b),
          cpuSeconds: (user + system) / 1e6,
        },
      }
    }
    case 'disconnect':
      if (pings) clearInterval(pings)
      for (const device of devices) device.end()
      devices = []
      return { type: 'done' }
  }
})
