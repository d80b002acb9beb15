import internalGrpc from '@chirpstack/chirpstack-api/api/internal_grpc_pb.js'
import pb from '@chirpstack/chirpstack-api/api/internal_pb.js'
import type { LoraFrame } from '@thingwright/contracts/lora-gateways.contract'
import type { LnsTraffic } from '../../../modules/lora/lns.port.ts'
import { type Listening, timeOf } from './channel.ts'

const { InternalServiceClient } = internalGrpc
/** A frame is a few hundred bytes; its JSON with every gateway that heard it some thousands. */
const LONGEST_BODY = 32_768

const frameOf = (item: InstanceType<typeof pb.LogItem>): LoraFrame => ({
  id: item.getId(),
  time: timeOf(item.getTime()),
  description: item.getDescription(),
  properties: Object.fromEntries(item.getPropertiesMap().toArray()) as Record<string, string>,
  body: item.getBody().slice(0, LONGEST_BODY),
})

/** The streams of InternalService begin with what the server keeps. */
export async function trafficOf(listen: Listening, of: LnsTraffic): Promise<LoraFrame[]> {
  const items = await stream(listen, of)
  return items.map(frameOf).reverse()
}

function stream(listen: Listening, of: LnsTraffic) {
  if (of.of === 'gateway') {
    const request = new pb.StreamGatewayFramesRequest()
    request.setGatewayId(of.gatewayId)
    return listen(InternalServiceClient, client => client.streamGatewayFrames, request)
  }
  if (of.of === 'frames') {
    const request = new pb.StreamDeviceFramesRequest()
    request.setDevEui(of.devEui)
    return listen(InternalServiceClient, client => client.streamDeviceFrames, request)
  }
  const request = new pb.StreamDeviceEventsRequest()
  request.setDevEui(of.devEui)
  return listen(InternalServiceClient, client => client.streamDeviceEvents, request)
}
