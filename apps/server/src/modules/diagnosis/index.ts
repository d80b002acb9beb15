import type { BoundRoute } from '../../lib/http.ts'
import { diagnosisRoutes } from './diagnosis.routes.ts'
import { createDiagnosisService, type DiagnosisDeps, type DiagnosisService } from './diagnosis.service.ts'

export type { DiagnosisDeps, DiagnosisService } from './diagnosis.service.ts'
export { diagnosisTools } from './diagnosis.tools.ts'
export type { WatchFacts } from './doctor/facts.ts'
export { frameView } from './frame-view.ts'

export interface DiagnosisModule {
  service: DiagnosisService
  routes: BoundRoute[]
}

export function createDiagnosisModule(deps: DiagnosisDeps): DiagnosisModule {
  const service = createDiagnosisService(deps)
  return { service, routes: diagnosisRoutes(service) }
}
export { causeText } from './cause-text.ts'
