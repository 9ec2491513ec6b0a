package redissonconfig

// meaningless are the settings that nothing here needs, and why.
var meaningless = map[string]string{}

func init() {
	for why, names := range map[string][]string{
		"goroutines need no number of threads":                                                       {"threads", "nettyThreads", "executor", "nettyExecutor", "eventLoopGroup", "useThreadClassLoader", "decodeInExecutor"},
		"Go chooses how it waits for the network":                                                    {"transportMode", "useLinuxNativeEpoll", "nettyHook", "tcpUserTimeout"},
		"Go keeps TCP connections alive by itself":                                                   {"keepAlive", "tcpKeepAlive", "tcpKeepAliveCount", "tcpKeepAliveIdle", "tcpKeepAliveInterval"},
		"Go sends without delay by itself":                                                           {"tcpNoDelay"},
		"it is about locks, of which delayed queues have none":                                       {"lockWatchdogTimeout", "lockWatchdogBatchSize", "checkLockSyncedSlaves", "slavesSyncTimeout", "fairLockWaitTimeout"},
		"it is about objects of Redisson that delayed queues do not use":                             {"reliableTopicWatchdogTimeout", "minCleanUpDelay", "maxCleanUpDelay", "cleanUpKeysAmount", "referenceEnabled", "referenceCodecProvider"},
		"scripts are always called by their digest":                                                  {"useScriptCache"},
		"a message of a channel only wakes the transfer, in whatever order":                          {"keepPubSubOrder"},
		"the protocol makes no difference to queues":                                                 {"protocol", "valkeyCapabilities"},
		"start_retry_for says how long the start waits for Redis; the first connection is made then": {"lazyInitialization"},
		"a listener of connections is code of Java; the log tells when Redis does not answer":        {"connectionListener"},
		"names are resolved anew with each connection":                                               {"addressResolverGroupFactory", "dnsMonitoringInterval", "dnsMonitoringTimes", "monitorIPChanges"},
		"calls are tried again by rules that send nothing twice":                                     {"retryAttempts", "retryInterval", "retryDelay", "reconnectionDelay", "reconnectionTimeout", "failedAttempts"},
		"each new connection reads redis.password_file or asks framework.WithLogin; open ones stay":  {"credentialsReapplyInterval"},
		"idle connections beyond pool_idle are closed after some seconds":                            {"idleConnectionTimeout"},
		"connections that do not answer are noticed by read_timeout and by the renewal of leases":    {"pingConnectionInterval", "pingTimeout"},
		"a process has one subscription": {
			"subscriptionsPerConnection", "subscriptionTimeout", "subscriptionConnectionMinimumIdleSize", "subscriptionConnectionPoolSize",
			"slaveSubscriptionConnectionMinimumIdleSize", "slaveSubscriptionConnectionPoolSize", "subscriptionMode", "shardedSubscriptionMode",
		},
		"queues are read and written on the master, by Redisson too": {
			"readMode", "loadBalancer", "slaveAddresses", "slaveConnectionMinimumIdleSize", "slaveConnectionPoolSize", "failedSlaveCheckInterval",
			"failedSlaveReconnectionInterval", "failedSlaveNodeDetector", "fallbackLoadingToMaster", "checkSlaveStatusWithSyncing", "checkMasterLinkStatus",
		},
		"changes of the cluster or of the master are noticed when Redis or the Sentinels tell of them": {"scanInterval", "checkSlotsCoverage", "checkSentinelsList", "sentinelsDiscovery"},
	} {
		for _, name := range names {
			meaningless[name] = why
		}
	}
}
