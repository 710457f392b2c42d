// Writes src/Loxo/Errors/SqlStates.g.cs and PostgresErrorCodes.g.cs from the lists that PostgreSQL installs as errcodes.txt in its share directory:
//
//     dotnet run --project tools/SqlStates -- src/Loxo/Errors <errcodes.txt of the newest server> [<errcodes.txt of older servers> ...]
//
// Codes that only an older list knows are kept, since such servers are still in use.
using Loxo.Tools.SqlStates;

if (args.Length < 2)
{
    Console.Error.WriteLine("Usage: SqlStates <folder to write into> <newest errcodes.txt> [<older errcodes.txt> ...]");
    return 1;
}

var states = ErrorCodeList.Merge(args[1..].Select(path => ErrorCodeList.Parse(File.ReadLines(path))));
File.WriteAllText(Path.Combine(args[0], "SqlStates.g.cs"), SqlStatesWriter.WriteSqlStates(states));
File.WriteAllText(Path.Combine(args[0], "PostgresErrorCodes.g.cs"), SqlStatesWriter.WritePostgresErrorCodes(states));
Console.WriteLine($"{states.Count} codes written.");
return 0;
