import { runGatewayProcess } from './gateway/process.ts'
import { startGateway } from './gateway/start.ts'

// The forked child: everything it must know comes over the channel to its parent.
runGatewayProcess((options, outlet) => startGateway(options, outlet))
