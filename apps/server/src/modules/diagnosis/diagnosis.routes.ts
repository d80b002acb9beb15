import { diagnosisContract } from '@thingwright/contracts/diagnosis.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { DiagnosisService } from './diagnosis.service.ts'

export function diagnosisRoutes(diagnosis: DiagnosisService): BoundRoute[] {
  return [
    bind(diagnosisContract.device, (ctx, { params }) => diagnosis.device(ctx, params.id)),
    bind(diagnosisContract.frames, (ctx, { params }) => diagnosis.frames(ctx, params.id)),
    bind(diagnosisContract.refusedSignIns, (ctx, { params }) => diagnosis.refusedSignIns(ctx, params.id)),
    bind(diagnosisContract.send, (ctx, { params, body }) => diagnosis.send(ctx, params.id, body)),
    bind(diagnosisContract.simulate, (ctx, { params, body }) => diagnosis.simulate(ctx, params.id, body)),
  ]
}
