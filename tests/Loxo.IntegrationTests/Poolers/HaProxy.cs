using System.Diagnostics;

namespace Loxo.IntegrationTests.Poolers;

/// <summary>
/// A haproxy that passes bytes on to the first server that answers its check: one of the two is down. What is idle for longer than
/// <paramref name="idle"/> it closes.
/// </summary>
internal sealed class HaProxy(string idle = "1h") : PoolerProcess
{
    protected override ProcessStartInfo Command
    {
        get
        {
            var program = DebianPackage.Program("haproxy", "haproxy");
            var file = Write("haproxy.cfg", $"""
                defaults
                    mode tcp
                    timeout connect 60s
                    timeout check 60s
                    timeout client {idle}
                    timeout server {idle}
                frontend clients
                    bind 127.0.0.1:{Port}
                    default_backend servers
                backend servers
                    option pgsql-check user postgres
                    server down 127.0.0.1:{FreePort.Next()} check inter 100 fall 1 rise 1
                    server up 127.0.0.1:{TestServer.Default.Port} check inter 100 fall 20 rise 1

                """);
            return new ProcessStartInfo(program, ["-db", "-f", file]);
        }
    }
}
