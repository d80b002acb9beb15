import type { CompanyTab } from '../../lib/company-tabs.ts'
import { loadTexts } from '../../lib/i18n.ts'

export const companyTab: CompanyTab = {
  key: 'assistant',
  of: 'assistant.settings',
  load: async () => {
    const [tab] = await Promise.all([import('./settings/assistant-tab.tsx'), loadTexts('settings', 'rights')])
    return { Component: tab.AssistantTab }
  },
  wholePage: search => search.get('view') === 'replies',
}
