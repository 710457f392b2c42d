// Writes src/Loxo/Sql/BuiltInNames.g.cs: the functions and keywords of PostgreSQL as the classifier of statements sees them. It starts one server
// of each major version named, asks its catalogue, and applies FunctionReview:
//
//     dotnet run --project tools/SqlFunctions -- src/Loxo/Sql 15 18
//
using System.Globalization;
using Loxo.Tools.SqlFunctions;

if (args.Length < 2)
{
    Console.Error.WriteLine("Usage: SqlFunctions <folder to write into> <major version of PostgreSQL> [<another> ...]");
    return 1;
}

var catalogue = new Catalogue();
foreach (var version in args[1..])
    catalogue.Read(int.Parse(version, CultureInfo.InvariantCulture));
File.WriteAllText(Path.Combine(args[0], "BuiltInNames.g.cs"), NamesWriter.Write(catalogue));
Console.WriteLine($"{catalogue.Plain.Count} plain functions, {catalogue.Others.Count} others, {catalogue.Keywords.Count} keywords written.");
return 0;
