using System.Diagnostics;

namespace Loxo.IntegrationTests.Poolers;

/// <summary>A pgpool in front of one server, which it keeps when a server process is ended: else one <c>pg_terminate_backend</c> is a failover.</summary>
internal sealed class PgPool : PoolerProcess
{
    protected override ProcessStartInfo Command
    {
        get
        {
            var program = DebianPackage.Program("pgpool", "pgpool2");
            var file = Write("pgpool.conf", $"""
                backend_clustering_mode = 'streaming_replication'
                sr_check_period = 0
                listen_addresses = '127.0.0.1'
                port = {Port}
                socket_dir = '{Folder}'
                pcp_listen_addresses = ''
                pcp_port = {FreePort.Next()}
                pcp_socket_dir = '{Folder}'
                backend_hostname0 = '127.0.0.1'
                backend_port0 = {TestServer.Default.Port}
                backend_flag0 = 'DISALLOW_TO_FAILOVER'
                num_init_children = 12
                max_pool = 1
                pid_file_name = '{Folder}/pgpool.pid'
                logdir = '{Folder}'
                enable_pool_hba = off
                pool_passwd = ''

                """);
            return new ProcessStartInfo(program, ["-n", "-f", file, "-F", Write("pcp.conf", ""), "-a", Write("pool_hba.conf", "")]);
        }
    }

    // It has children, and shared memory that only itself removes.
    protected override void End(Process process)
    {
        var (succeeded, output) = DebianPackage.Run(DebianPackage.Program("pgpool", "pgpool2"), null, "-f", $"{Folder}/pgpool.conf", "-m", "fast", "stop");
        if (!succeeded)
            throw new InvalidOperationException("pgpool did not end: " + output);
    }
}
