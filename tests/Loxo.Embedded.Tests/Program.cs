using Loxo.Embedded;
using Loxo.Embedded.Tests;

// Starts a server, says where it is, and ends without disposing it: by itself after a line of input, or however the test ends it.
Signals.RestoreDefaults();
var server = PgEmbeddedServer.Start(
    new PgEmbeddedServerOptions { CacheDirectory = args[0], BinaryDirectory = args[1], RunDirectory = args.ElementAtOrDefault(2) });
Console.WriteLine(server.DataDirectory);
Console.WriteLine(server.ProcessId);
Console.ReadLine();
