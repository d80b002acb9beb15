import { assistantHistory } from './suites/assistant-history.suite.ts'

assistantHistory('zh')
