import grpcPb, { type IGatewayServiceServer } from '@chirpstack/chirpstack-api/api/gateway_grpc_pb.js'
import pb from '@chirpstack/chirpstack-api/api/gateway_pb.js'
import common from '@chirpstack/chirpstack-api/common/common_pb.js'
import grpc from '@grpc/grpc-js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { type Calls, invalid, notFound, Refusal } from './calls.ts'
import { certificateOf } from './certificate.ts'
import { type KeptGateway, matches, stamp, type Things } from './things.ts'

const STEP_MS = [3_600_000, 86_400_000, 30 * 86_400_000, 60_000]
const YEAR_MS = 365 * 86_400_000
/** Of `order_by`. */
const ORDERS = { name: 0, gatewayId: 1, lastSeenAt: 2 }

/** GatewayService: gateways of the tenant, their states and what they heard. */
export function gatewayService(
  call: Calls,
  things: Things,
  options: { now(): number; certificates(): boolean },
): [typeof grpcPb.GatewayServiceService, IGatewayServiceServer] {
  const known = (id: string): KeptGateway => {
    const found = things.gateways.get(id)
    if (!found) throw notFound(id)
    return found
  }
  const check = (message: InstanceType<typeof pb.Gateway>) => {
    if (!/^[0-9a-f]{16}$/.test(message.getGatewayId())) throw invalid('gateway_id: Invalid string length')
    if (message.getName() === '') throw invalid('name is not set')
  }
  /** OFFLINE after twice the interval of its statistics (`api/gateway.rs`). */
  const stateOf = ({ lastSeenAt, message }: KeptGateway) =>
    lastSeenAt === null ? 0 : options.now() - lastSeenAt > 2_000 * message.getStatsInterval() ? 2 : 1

  return [
    grpcPb.GatewayServiceService,
    {
      create: call('GatewayService.Create', (request: InstanceType<typeof pb.CreateGatewayRequest>, access) => {
        const message = request.getGateway()
        if (!message) throw invalid('gateway is missing')
        access.tenant(message.getTenantId())
        check(message)
        const id = message.getGatewayId()
        if (things.gateways.has(id)) throw new Refusal(grpc.status.ALREADY_EXISTS, `Object already exists (id: ${id})`)
        things.gateways.set(id, {
          message,
          properties: new Map(),
          createdAt: options.now(),
          updatedAt: options.now(),
          lastSeenAt: null,
          heard: [],
          sent: [],
        })
        return new empty.Empty()
      }),
      get: call('GatewayService.Get', (request: InstanceType<typeof pb.GetGatewayRequest>, access) => {
        access.tenant(things.tenant.id)
        const { message, createdAt, updatedAt, lastSeenAt } = known(request.getGatewayId())
        const reply = new pb.GetGatewayResponse()
        reply.setGateway(message)
        reply.setCreatedAt(stamp(createdAt))
        reply.setUpdatedAt(stamp(updatedAt))
        if (lastSeenAt !== null) reply.setLastSeenAt(stamp(lastSeenAt))
        return reply
      }),
      update: call('GatewayService.Update', (request: InstanceType<typeof pb.UpdateGatewayRequest>, access) => {
        const message = request.getGateway()
        if (!message) throw invalid('gateway is missing')
        access.tenant(things.tenant.id)
        check(message)
        const kept = known(message.getGatewayId())
        kept.message = message
        kept.updatedAt = options.now()
        return new empty.Empty()
      }),
      delete: call('GatewayService.Delete', (request: InstanceType<typeof pb.DeleteGatewayRequest>, access) => {
        access.tenant(things.tenant.id)
        known(request.getGatewayId())
        things.gateways.delete(request.getGatewayId())
        return new empty.Empty()
      }),
      list: call('GatewayService.List', (request: InstanceType<typeof pb.ListGatewaysRequest>, access) => {
        access.tenant(request.getTenantId() || things.tenant.id)
        const order = request.getOrderBy()
        const found = [...things.gateways.entries()]
          .filter(([id, { message }]) => matches(`${id} ${message.getName()}`, request.getSearch()))
          .sort(([a, first], [b, second]) =>
            order === ORDERS.gatewayId
              ? a.localeCompare(b)
              : order === ORDERS.lastSeenAt
                ? (first.lastSeenAt ?? 0) - (second.lastSeenAt ?? 0)
                : first.message.getName().localeCompare(second.message.getName()),
          )
        if (request.getOrderByDesc()) found.reverse()
        const reply = new pb.ListGatewaysResponse()
        reply.setTotalCount(found.length)
        // Without a limit it only counts.
        for (const [id, kept] of found.slice(request.getOffset(), request.getOffset() + request.getLimit())) {
          const { message, properties, lastSeenAt } = kept
          const item = new pb.GatewayListItem()
          item.setTenantId(message.getTenantId())
          item.setGatewayId(id)
          item.setName(message.getName())
          item.setDescription(message.getDescription())
          item.setLocation(message.getLocation())
          item.setDownlinkPriority(message.getDownlinkPriority())
          for (const [key, value] of properties) item.getPropertiesMap().set(key, value)
          item.setCreatedAt(stamp(kept.createdAt))
          item.setUpdatedAt(stamp(kept.updatedAt))
          if (lastSeenAt !== null) item.setLastSeenAt(stamp(lastSeenAt))
          item.setState(stateOf(kept) as never)
          reply.addResult(item)
        }
        return reply
      }),
      generateClientCertificate: call(
        'GatewayService.GenerateClientCertificate',
        (request: InstanceType<typeof pb.GenerateGatewayClientCertificateRequest>, access) => {
          access.tenant(things.tenant.id)
          known(request.getGatewayId())
          if (!options.certificates()) throw new Refusal(grpc.status.INTERNAL, 'gateway.ca_cert is not set')
          const { caCert, tlsCert, tlsKey } = certificateOf(request.getGatewayId())
          const reply = new pb.GenerateGatewayClientCertificateResponse()
          reply.setCaCert(caCert)
          reply.setTlsCert(tlsCert)
          reply.setTlsKey(tlsKey)
          reply.setExpiresAt(stamp(options.now() + YEAR_MS))
          return reply
        },
      ),
      getMetrics: call(
        'GatewayService.GetMetrics',
        (request: InstanceType<typeof pb.GetGatewayMetricsRequest>, access) => {
          access.tenant(things.tenant.id)
          const { heard, sent } = known(request.getGatewayId())
          const step = STEP_MS[request.getAggregation()] ?? 3_600_000
          const start = Math.floor(request.getStart()!.toDate().getTime() / step) * step
          const end = request.getEnd()!.toDate().getTime()
          const times = Array.from(
            { length: Math.max(0, Math.floor((end - start) / step) + 1) },
            (_, n) => start + n * step,
          )

          /** Counts by label; every label has a value at every time. */
          function metric<Row extends { at: number; count: number }>(
            name: string,
            rows: readonly Row[],
            label: (row: Row) => string,
          ) {
            const made = new common.Metric()
            made.setName(name)
            made.setTimestampsList(times.map(stamp))
            made.setKind(1 as never)
            for (const one of [...new Set(rows.map(label))].sort()) {
              const set = new common.MetricDataset()
              set.setLabel(one)
              set.setDataList(
                times.map(time =>
                  rows
                    .filter(row => label(row) === one && row.at >= time && row.at < time + step)
                    .reduce((sum, row) => sum + row.count, 0),
                ),
              )
              made.addDatasets(set)
            }
            return made
          }

          const reply = new pb.GetGatewayMetricsResponse()
          reply.setRxPackets(metric('Received', heard, () => 'rx_count'))
          reply.setTxPackets(metric('Transmitted', sent, () => 'tx_count'))
          reply.setRxPacketsPerFreq(metric('Received / frequency', heard, row => String(row.frequency)))
          reply.setTxPacketsPerFreq(metric('Transmitted / frequency', sent, row => String(row.frequency)))
          reply.setRxPacketsPerDr(metric('Received / DR', heard, row => String(row.dr)))
          reply.setTxPacketsPerDr(metric('Transmitted / DR', sent, row => String(row.dr)))
          reply.setTxPacketsPerStatus(metric('TX packets / status', sent, row => row.status))
          return reply
        },
      ),
    } as unknown as IGatewayServiceServer,
  ]
}
