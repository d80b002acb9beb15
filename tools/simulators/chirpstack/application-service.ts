import grpcPb, { type IApplicationServiceServer } from '@chirpstack/chirpstack-api/api/application_grpc_pb.js'
import pb from '@chirpstack/chirpstack-api/api/application_pb.js'
import { type Calls, invalid } from './calls.ts'
import { matches, stamp, type Things } from './things.ts'

/** ApplicationService, as far as its list goes. */
export function applicationService(
  call: Calls,
  things: Things,
): [typeof grpcPb.ApplicationServiceService, IApplicationServiceServer] {
  return [
    grpcPb.ApplicationServiceService,
    {
      list: call('ApplicationService.List', (request: InstanceType<typeof pb.ListApplicationsRequest>, access) => {
        if (request.getTenantId() === '') throw invalid('tenant_id is not set')
        access.tenant(request.getTenantId())
        const found = things.applications.filter(({ name }) => matches(name, request.getSearch()))
        const reply = new pb.ListApplicationsResponse()
        reply.setTotalCount(found.length)
        for (const { id, name } of found.slice(request.getOffset(), request.getOffset() + request.getLimit())) {
          const item = new pb.ApplicationListItem()
          item.setId(id)
          item.setName(name)
          item.setCreatedAt(stamp(things.tenant.createdAt))
          item.setUpdatedAt(stamp(things.tenant.createdAt))
          reply.addResult(item)
        }
        return reply
      }),
    } as unknown as IApplicationServiceServer,
  ]
}
