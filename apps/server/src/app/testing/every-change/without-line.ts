/**
 * What may change without a line of the operation log, and why. Named with its way (insert, update, delete), or whole.
 * A table that is not here needs a line for whatever changes it, so a new one is held from its first day.
 */
const WITHOUT_LINE: Record<string, string> = {
  // The log itself.
  audit_chain: 'links of the log',
  audit_checkpoints: 'links of the log',
  audit_epochs: 'links of the log',
  audit_heads: 'links of the log',
  audit_pending: 'links of the log',
  // Sign-ins have a log of their own, in which they are shown to people (user log).
  sign_in_events: 'the log of sign-ins',
  'refresh_families insert': 'a sign-in: in its log',
  'refresh_families update': 'a session that is used on; its end is a line of whoever ends it',
  'logins sessions end': 'the consequence of a line: of a freeze, a new password, a member who leaves',
  sign_in_failures: 'counts of the sign-in guard',
  factor_failures: 'counts of the sign-in guard',
  sign_in_tickets: 'half a sign-in',
  code_requests: 'counts of codes that were asked for',
  sms_codes: 'a code on its way',
  mail_codes: 'a code on its way',
  used_captchas: 'a captcha that was answered',
  webauthn_challenges: 'a question to a key',
  oidc_flows: 'a sign-in on its way through a provider',
  // What the platform keeps about its own work.
  idempotency_keys: 'answers kept for a repeated request',
  api_calls: 'the log of programs’ calls',
  api_call_stats: 'counts of calls',
  tenant_usage: 'counts of use',
  fleet_cells: 'samples of fleets',
  fleet_samples: 'samples of fleets',
  fleet_talkers: 'samples of fleets',
  'api_keys update': 'when and from where a key was used',
  'tasks update': 'progress; start, cancel and end have lines of their own',
  task_failures: 'parts of a task that failed; its end is a line',
  consumer_cursors: 'places in the journal',
  device_registrations: 'devices that ask to be let in; what a person decides is asked for by the name of its line',
  'device_batches update': 'progress of a batch',
  'command_batches update': 'progress of a batch; who ends it is asked for by the name of his line',
  'command_batch_items update': 'progress of a batch',
  'command_schedules update': 'when a periodic read is next',
  'commands insert':
    'one is asked for by the name of its line; those of a batch, a campaign or a schedule name what made them',
  'commands update': 'the way of a command to its device and back; who cancels one is asked for by name',
  shadow_desired: 'what a command wants of a device',
  'device_imports update': 'progress of an import; each of its devices has a line',
  device_import_parts: 'progress of an import; each of its devices has a line',
  'ota_campaigns update': 'progress of a campaign; what a person does to it is asked for by name',
  ota_jobs: 'updates of single devices, made and driven by their campaign',
  ota_job_events: 'what became of them',
  subscription_items: 'the queue of what is sent out',
  subscription_queues: 'the queue of what is sent out',
  subscription_progress: 'the queue of what is sent out',
  subscription_log: 'what was sent out',
  subscription_dead_letters:
    'what could not be sent out; who has it repeated leaves his line before, in the other role',
  'notification_records update': 'the way of a message to its receiver; who sends one has a line of his own',
  'notification_channels update': 'a provider that refuses an account; who changes one is asked for by name',
  lora_profiles: 'what ChirpStack has; what people change there is asked for by the name of its line',
  lora_devices: 'what ChirpStack says of devices',
  lora_downlinks: 'what is in ChirpStack’s queues; the command behind it has a line',
  lora_gateways: 'what ChirpStack has; what people change there is asked for by the name of its line',
  'lora_connections update':
    'what ChirpStack says of a connection; what people change is asked for by the name of its line',
  sim_card_events: 'the history of a card: a consequence of what the carrier says, or of a line',
  sim_card_usage: 'what a carrier counted',
  'sim_card_operations update': 'the way of an operation to its carrier and back',
  'sim_cards update': 'what a carrier says of a card; what people change is asked for by the name of its line',
  'carrier_accounts update':
    'what a carrier says of an account; what people change is asked for by the name of its line',
  telecom_refused: 'what a platform pushed and nobody took',
  telecom_commands: 'the way of a command to its platform and back',
  telecom_messages: 'what a platform pushed already',
  'telecom_keys update': 'what a platform says of a key; what people change is asked for by the name of its line',
  'telecom_devices update': 'what a platform says of a device; what people change is asked for by the name of its line',
  'telecom_devices delete': 'the platform deleted its own of a device whose end was a line',
  'wechat_accounts update':
    'what WeChat says of an account, and its channel; what people change is asked for by the name of its line',
  wechat_platforms: 'a ticket that WeChat sends every ten minutes',
  'wechat_applets update': 'what WeChat says of a mini-program; what people do is asked for by the name of its line',
  'wechat_followers insert': 'who writes to an official account',
  'wechat_followers update': 'what a follower does; who binds him is asked for by the name of his line',
  'wechat_scenes update': 'a QR code that was scanned',
  'video_accounts update':
    'what the vendor says of an account; what people change is asked for by the name of its line',
  'video_channels insert': 'what the vendor has; what people add is asked for by the name of its line',
  'video_channels update': 'what the vendor says of a camera; what people change is asked for by the name of its line',
  trigger_marks: 'a consequence: who is watched is worked out anew',
  trigger_signals: 'what the engine is told of a line',
  cloud_page_tries: 'counts of wrong passcodes',
  cloud_page_visits: 'counts of visits',
  'cloud_page_links update': 'when a link was used; who revokes one is asked for by the name of his line',
  domain_events: 'a consequence, told to subscribers',
  device_purges: 'a queue of the clearing that a line told of',
  media_leftovers: 'objects to be removed from the store',
  firmware_leftovers: 'objects to be removed from the store',
  'media_blobs insert': 'bytes on their way in; the object they become is a line',
  // A person's own.
  notices: 'an inbox tells of what a line tells too',
  notice_reads: 'marks in one’s own inbox',
  default_views: 'what one person sees first',
  home_layouts: 'what one person sees first',
  assistant_approvals: 'what the caller’s assistant asks him; his answer is asked for by the name of its line',
  assistant_chats: 'the caller’s own conversation',
  assistant_messages: 'the caller’s own conversation',
  assistant_replies: 'the caller’s own conversation',
}

/** @param change a table and the way in which it was changed */
export function withoutLine(change: string): boolean {
  const [table = ''] = change.split(' ')
  return change in WITHOUT_LINE || table in WITHOUT_LINE
}
