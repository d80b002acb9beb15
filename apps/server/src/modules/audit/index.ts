export { type AuditModule, type AuditModuleDeps, auditSeal, createAuditModule, readAsCompany } from './audit.module.ts'
export type { AuditService } from './audit.service.ts'
export { auditTools } from './audit.tools.ts'
export { type ChainProblem, type Read, type Verification, verifyCompany } from './audit.verify.ts'
