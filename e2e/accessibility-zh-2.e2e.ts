import { accessiblePages } from './suites/accessibility.suite.ts'

accessiblePages('zh', 2, 4)
