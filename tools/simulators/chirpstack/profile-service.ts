import { randomUUID } from 'node:crypto'
import grpcPb, { type IDeviceProfileServiceServer } from '@chirpstack/chirpstack-api/api/device_profile_grpc_pb.js'
import pb from '@chirpstack/chirpstack-api/api/device_profile_pb.js'
import grpc from '@grpc/grpc-js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { type Calls, invalid, notFound, Refusal } from './calls.ts'
import { type KeptProfile, matches, stamp, type Things } from './things.ts'

/** DeviceProfileService: profiles of the tenant, and those of the whole server, which no tenant changes. */
export function profileService(
  call: Calls,
  things: Things,
  options: { now(): number; inUse(profileId: string): boolean },
): [typeof grpcPb.DeviceProfileServiceService, IDeviceProfileServiceServer] {
  const known = (id: string): KeptProfile => {
    const found = things.profiles.get(id)
    if (!found) throw notFound(id)
    return found
  }
  const check = (message: InstanceType<typeof pb.DeviceProfile>) => {
    if (message.getName() === '') throw invalid('name is not set')
    if (message.getUplinkInterval() === 0) throw invalid('uplink_interval must be > 0')
    if (message.getSupportsClassB() && message.getClassBPingSlotPeriodicity() > 7)
      throw invalid('Max ping-slot periodicity is 7')
  }

  return [
    grpcPb.DeviceProfileServiceService,
    {
      create: call(
        'DeviceProfileService.Create',
        (request: InstanceType<typeof pb.CreateDeviceProfileRequest>, access) => {
          const message = request.getDeviceProfile()
          if (!message) throw invalid('device_profile is missing')
          access.tenant(message.getTenantId())
          check(message)
          const id = randomUUID()
          message.setId(id)
          things.profiles.set(id, {
            message,
            tenantId: message.getTenantId(),
            createdAt: options.now(),
            updatedAt: options.now(),
          })
          const reply = new pb.CreateDeviceProfileResponse()
          reply.setId(id)
          return reply
        },
      ),
      get: call('DeviceProfileService.Get', (request: InstanceType<typeof pb.GetDeviceProfileRequest>, access) => {
        const { message, tenantId, createdAt, updatedAt } = known(request.getId())
        access.tenant(tenantId ?? things.tenant.id)
        const reply = new pb.GetDeviceProfileResponse()
        reply.setDeviceProfile(message)
        reply.setCreatedAt(stamp(createdAt))
        reply.setUpdatedAt(stamp(updatedAt))
        return reply
      }),
      update: call(
        'DeviceProfileService.Update',
        (request: InstanceType<typeof pb.UpdateDeviceProfileRequest>, access) => {
          const message = request.getDeviceProfile()
          if (!message) throw invalid('device_profile is missing')
          const kept = known(message.getId())
          if (kept.tenantId === null) throw new Refusal(grpc.status.UNAUTHENTICATED, '')
          access.tenant(kept.tenantId)
          check(message)
          if (message.getRegion() !== kept.message.getRegion()) throw invalid('region can not be updated')
          kept.message = message
          kept.updatedAt = options.now()
          return new empty.Empty()
        },
      ),
      delete: call(
        'DeviceProfileService.Delete',
        (request: InstanceType<typeof pb.DeleteDeviceProfileRequest>, access) => {
          const kept = known(request.getId())
          if (kept.tenantId === null) throw new Refusal(grpc.status.UNAUTHENTICATED, '')
          access.tenant(kept.tenantId)
          if (options.inUse(request.getId()))
            throw new Refusal(
              grpc.status.INTERNAL,
              'update or delete on table "device_profile" violates foreign key constraint "device_device_profile_id_fkey" on table "device"',
            )
          things.profiles.delete(request.getId())
          return new empty.Empty()
        },
      ),
      list: call('DeviceProfileService.List', (request: InstanceType<typeof pb.ListDeviceProfilesRequest>, access) => {
        if (!request.getGlobalOnly() && request.getTenantId() === '') throw invalid('tenant_id is not set')
        access.tenant(request.getTenantId() || things.tenant.id)
        const found = [...things.profiles.entries()]
          .filter(([, { tenantId, message }]) => {
            const wanted = request.getGlobalOnly()
              ? tenantId === null
              : tenantId === request.getTenantId() || (tenantId === null && !request.getTenantOnly())
            return wanted && matches(message.getName(), request.getSearch())
          })
          .sort(([, a], [, b]) => a.message.getName().localeCompare(b.message.getName()))
        const reply = new pb.ListDeviceProfilesResponse()
        reply.setTotalCount(found.length)
        // Without a limit it only counts.
        for (const [id, kept] of found.slice(request.getOffset(), request.getOffset() + request.getLimit())) {
          const { message } = kept
          const item = new pb.DeviceProfileListItem()
          item.setId(id)
          item.setName(message.getName())
          item.setRegion(message.getRegion())
          item.setMacVersion(message.getMacVersion())
          item.setRegParamsRevision(message.getRegParamsRevision())
          item.setSupportsOtaa(message.getSupportsOtaa())
          item.setSupportsClassB(message.getSupportsClassB())
          item.setSupportsClassC(message.getSupportsClassC())
          item.setCreatedAt(stamp(kept.createdAt))
          item.setUpdatedAt(stamp(kept.updatedAt))
          reply.addResult(item)
        }
        return reply
      }),
    } as unknown as IDeviceProfileServiceServer,
  ]
}
