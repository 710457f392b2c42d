using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Loxo.Benchmarks.Canned;

/// <summary>
/// A server that has its answers ready. It is a process of its own, so that its work is not in the client's CPU time, on the client's core
/// because it inherits the affinity.
/// </summary>
internal sealed class CannedServer : IDisposable
{
    /// <summary>The option that makes the program this server.</summary>
    public const string Option = "--serve-canned-answers";

    private readonly Process _process;

    public CannedServer()
    {
        _process = Process.Start(new ProcessStartInfo(Environment.ProcessPath!, [typeof(CannedServer).Assembly.Location, Option])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        var line = _process.StandardOutput.ReadLine() ?? throw new InvalidOperationException("The server of canned answers did not start.");
        Port = int.Parse(line, CultureInfo.InvariantCulture);
    }

    public int Port { get; }

    /// <summary>The other side: says its port, and serves until its standard input ends, as it also does when the program dies.</summary>
    public static int Serve()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        new Thread(() => Accept(listener)) { IsBackground = true }.Start();
        Console.WriteLine(((IPEndPoint)listener.LocalEndPoint!).Port);
        Console.In.ReadToEnd();
        return 0;
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }

    private static void Accept(Socket listener)
    {
        var answers = CannedAnswer.All();
        while (true)
        {
            var socket = listener.Accept();
            socket.NoDelay = true;
            new Thread(() => Serve(socket, answers)) { IsBackground = true }.Start();
        }
    }

    private static void Serve(Socket socket, Dictionary<string, CannedAnswer> answers)
    {
        using (socket)
        {
            try
            {
                new CannedSession(socket, answers).Run();
            }
            catch (SocketException)
            {
                // The client has gone without a word.
            }
            catch (Exception e)
            {
                Console.Error.WriteLine($"The server of canned answers closes a connection: {e.Message}");
            }
        }
    }
}
