export { type AuditModule, createAuditModule } from './audit.module.ts'
export type { AuditService } from './audit.service.ts'
