export type { ApprovalsService } from './approvals.service.ts'
export { createOperatorModule, type OperatorModule } from './operator.module.ts'
