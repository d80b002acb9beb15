import type { Logger } from '../../lib/log.ts'
import type { LinkPortState } from '../../modules/devices/gateway.port.ts'
import type { GatewayPorts, GatewayStart } from '../channel/ipc.ts'
import type { GatewayOptions } from '../gateway/options.ts'
import type { Transport } from '../transport.port.ts'
import { type CoapTransport, createCoapTransport } from '../transports/coap/coap.transport.ts'
import { LinkDirectory } from '../transports/links/link-directory.ts'
import { createLoraTransport } from '../transports/lora/lora.transport.ts'
import { ModbusHost } from '../transports/modbus/modbus-host.ts'
import { createTcpTransport, type TcpTransport } from '../transports/tcp/tcp.transport.ts'
import { createUdpTransport, type UdpTransport } from '../transports/udp/udp.transport.ts'
import { createWebSocketTransport, type WebSocketTransport } from '../transports/websocket/websocket.transport.ts'
import { triesOf } from './port-failure.ts'

export interface DeviceTransports {
  create: NonNullable<GatewayOptions<Transport>['others']>
  /** Ports that were taken, once the gateway has started. */
  ports(): Partial<GatewayPorts>
  /** Ports that belong to products. */
  linkPorts(): LinkPortState[]
  /** Takes over an upgrade of `/device/ws`. */
  handleUpgrade: WebSocketTransport['handleUpgrade']
}

/** Every transport besides MQTT and HTTP, in the order in which they start. */
export function createDeviceTransports(start: GatewayStart, logger: Logger): DeviceTransports {
  const { host } = start
  let tcp: TcpTransport | null = null
  let udp: UdpTransport | null = null
  let coap: CoapTransport | null = null
  let websocket: WebSocketTransport | null = null
  return {
    create(portOf, hooks) {
      const { clock, monotonic, directory } = hooks
      const products = new LinkDirectory({ load: hooks.linkProducts, logger })
      const common = { products, clock, monotonic, logger, host }
      const whenCurrent = (product: number, then: () => void) => {
        const entry = directory.product(product)
        if (entry.current) then()
        else entry.waiting.push(then)
      }
      const tcpPort = portOf('tcp')
      const modbus = new ModbusHost({
        ...common,
        port: tcpPort,
        directory,
        boundTo: hooks.boundTo,
        returnCommands: hooks.returnCommands,
      })
      tcp = createTcpTransport({
        ...common,
        port: tcpPort,
        modbus,
        scripts: hooks.scripts,
        listen: { port: start.tcp.port, tryNext: triesOf(start.tcp) },
        whenCurrent,
      })
      udp = createUdpTransport({
        ...common,
        port: portOf('udp'),
        listen: { port: start.udp.port, tryNext: triesOf(start.udp) },
        opened: hooks.shortOpened,
        closed: hooks.shortClosed,
      })
      websocket = createWebSocketTransport({ port: portOf('websocket'), clock, monotonic, logger })
      coap = createCoapTransport({
        ...hooks,
        port: portOf('coap'),
        clock,
        monotonic,
        logger,
        listen: { host, port: start.coap.port, tryNext: triesOf(start.coap) },
        opened: hooks.shortOpened,
        closed: hooks.shortClosed,
      })
      const lora = createLoraTransport({
        ...hooks,
        port: portOf('lora'),
        opened: hooks.shortOpened,
        closed: hooks.shortClosed,
        readsBytes: device => directory.product(device.productNum).codec !== null,
      })
      return { tcp, udp, coap, websocket, lora }
    },
    ports: () => ({ tcp: tcp?.port() ?? null, udp: udp?.port() ?? null, coap: coap?.port() ?? null }),
    handleUpgrade: (request, socket, head, address) => websocket?.handleUpgrade(request, socket, head, address),
    linkPorts: () => [...(tcp?.linkPorts() ?? []), ...(udp?.linkPorts() ?? [])],
  }
}
