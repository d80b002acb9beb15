import { assistantPanel } from './suites/assistant-panel.suite.ts'

assistantPanel('en')
